"""The proof graph: every citation is an arrow, and arrows run from left to right."""

from boundcheck.paper import catalogue
from boundcheck.reporting.graph import _arrows, _places, graph

DECISIONS = {label: {"verdict": "PROVED"} for label in catalogue()}


def test_every_citation_of_every_form_is_an_arrow():
    figure = graph(catalogue(), DECISIONS)
    arrows = {(row[0], row[2]) for row in figure.rows if row[2] is not None}
    wanted = set()
    for label, statement in catalogue().items():
        form = statement
        while form is not None:
            wanted |= {(label, cited) for cited in form.cites}
            form = form.as_used
    assert arrows == wanted
    assert {row[0] for row in figure.rows} == set(catalogue())


def test_premises_stand_left_of_what_rests_on_them():
    rows = graph(catalogue(), DECISIONS).rows
    places = _places(rows)
    assert places.keys() == set(catalogue())
    for premise, conclusion in _arrows(rows):
        assert places[premise][0] < places[conclusion][0]
    assert len(set(places.values())) == len(places)


def test_a_statement_without_a_decision_is_marked_so():
    rows = graph(catalogue(), {}).rows
    assert {row[1] for row in rows} == {"not decided"}


def test_the_drawing_is_deterministic(tmp_path):
    figure = graph(catalogue(), DECISIONS)
    for name in ("a.svg", "b.svg"):
        figure.save(tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_arrows_begin_and_end_beside_the_labels():
    """Outside of the boxes as they are drawn, so that no head is hidden, and near to them."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = graph(catalogue(), DECISIONS)
    canvas = Figure(layout="constrained")
    drawn = FigureCanvasAgg(canvas)
    figure.draw(canvas, figure.rows)
    drawn.draw()
    [axes] = canvas.axes
    inches = {}
    for text in axes.texts:
        if text.get_text():
            box = text.get_bbox_patch().get_window_extent()
            inches[text.get_position()] = (box.x1 - box.x0) / canvas.dpi / 2
    scale = axes.transData.transform((1, 0))[0] - axes.transData.transform((0, 0))[0]
    for arrow in axes.texts:
        if not arrow.get_text():
            for (x, y), side in ((arrow.xyann, 1), (arrow.xy, -1)):
                [(middle, half)] = [(x0, h) for (x0, y0), h in inches.items() if y0 == y and 0 < side * (x - x0) < 0.9]
                gap = side * (x - middle) * scale / canvas.dpi - half
                assert -0.03 < gap < 0.2
