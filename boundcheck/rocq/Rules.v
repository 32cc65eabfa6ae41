(* Rule schemas of boundcheck, proved from definitions: each theorem is named rule_... after its schema.
   Probability: a Prob is any set with a class of measurable functions, a class of integrable ones and a linear monotone
   expectation; every probability space gives one, and its laws are fields of the record, so no theorem assumes them. *)
From Coq Require Import Reals Lra Psatz ZArith Lia.
From Coq Require FunctionalExtensionality. (* not imported, so that its axiom is told by its full name *)
From Coquelicot Require Import Coquelicot.
Require Import Boundcheck.
Open Scope R_scope.

(* a square with a parameter that is never negative *)
Lemma discriminant x m y : 0 <= x -> 0 <= y -> (forall l, 0 <= x + 2 * l * m + l ^ 2 * y) -> m ^ 2 <= x * y.
Proof.
  intros X Y Q. destruct Y as [Y | <-].
  - specialize (Q (- (m / y))). replace (x + 2 * - (m / y) * m + (- (m / y)) ^ 2 * y) with ((x * y - m ^ 2) / y) in Q by (field; lra).
    apply (Rmult_le_compat_r y) in Q; [| lra]. unfold Rdiv in Q. rewrite Rmult_assoc, Rinv_l in Q; lra.
  - destruct (Req_dec m 0) as [-> | Z]. lra. specialize (Q (- ((x + 1) / m))).
    replace (x + 2 * - ((x + 1) / m) * m + (- ((x + 1) / m)) ^ 2 * 0) with (- x - 2) in Q by (field; exact Z). lra.
Qed.

(* ------------------------------------------------------------------ vectors: every inner product space *)
Section Vectors.
Context {S : Space}.
Implicit Types v w z u : S.

Theorem rule_norm_of_zero v : (forall x : S, dot v x = 0) -> norm v = 0.
Proof. intros H. unfold norm. rewrite H. apply sqrt_0. Qed.
Theorem rule_norm_of_equals v w : v = w -> norm v = norm w.
Proof. intros E. rewrite E. reflexivity. Qed.
Theorem rule_square_of_a_sum v w : norm (vadd v w) ^ 2 = norm v ^ 2 + 2 * dot v w + norm w ^ 2.
Proof. rewrite !norm_sq, dot_add, !dot_add_r, (dot_sym _ w v). ring. Qed.
Theorem rule_dot_of_a_multiple c v w : dot v (vscal c w) = c * dot v w.
Proof. apply dot_scal_r. Qed.
Theorem rule_dot_of_a_sum v w z : dot v (vadd w z) = dot v w + dot v z.
Proof. apply dot_add_r. Qed.
Theorem rule_difference_of_projections v w z u : z = vsub v w -> dot v u = dot w u + dot z u.
Proof. intros E. rewrite E, dot_sub. ring. Qed.
Theorem rule_dot_with_itself v : dot v v = norm v ^ 2.
Proof. symmetry. apply norm_sq. Qed.
Theorem rule_Cauchy_Schwarz v w : Rabs (dot v w) <= norm v * norm w.
Proof.
  apply by_square_le. apply Rmult_le_pos; apply norm_nonneg. rewrite Rabs_square, Rpow_mult_distr, !norm_sq.
  apply discriminant; try apply dot_pos. intros l. pose proof (dot_pos S (vadd v (vscal l w))) as P.
  rewrite dot_add, !dot_add_r, !dot_scal, !dot_scal_r, (dot_sym _ w v) in P. lra.
Qed.
Theorem rule_triangle v w : norm (vadd v w) <= norm v + norm w.
Proof.
  apply by_square_le. pose proof (norm_nonneg v). pose proof (norm_nonneg w). lra.
  rewrite rule_square_of_a_sum. pose proof (rule_Cauchy_Schwarz v w). pose proof (Rle_abs (dot v w)). nra.
Qed.
Theorem rule_norm_scale c v : norm (vscal c v) = Rabs c * norm v.
Proof.
  unfold norm. rewrite dot_scal, dot_scal_r. replace (c * (c * dot v v)) with (Rsqr c * dot v v) by (unfold Rsqr; ring).
  rewrite sqrt_mult_alt by apply Rle_0_sqr. rewrite sqrt_Rsqr_abs. reflexivity.
Qed.
Theorem rule_norm_of_a_difference v w : norm (vsub v w) <= norm v + norm w.
Proof.
  unfold vsub, vneg. eapply Rle_trans. apply rule_triangle. rewrite rule_norm_scale.
  replace (Rabs (- 1)) with 1 by (rewrite Rabs_left; lra). lra.
Qed.

(* sums of vectors *)
Fixpoint vsum (g : nat -> S) (n : nat) : S := match n with O => vzero | Datatypes.S k => vadd (vsum g k) (g k) end.
End Vectors.

(* ------------------------------------------------------------------ real numbers *)
Theorem rule_root_of_a_product a b c : a <= b * c -> 0 <= a -> 0 <= b -> 0 <= c -> sqrt a <= sqrt b * sqrt c.
Proof. intros. rewrite <- sqrt_mult_alt by assumption. apply sqrt_le_1_alt. assumption. Qed.
Theorem rule_root_of_a_bound a b c : a = b -> sqrt b <= c -> sqrt a <= c.
Proof. intros E H. rewrite E. exact H. Qed.
Theorem rule_two_cases (A B t a : R) : (0 < t -> t < a -> A <= B) -> (t >= a -> A = B) -> 0 < t -> A <= B.
Proof. intros F G P. destruct (Rlt_or_le t a) as [L | L]. apply F; assumption. rewrite G; lra. Qed.
Theorem rule_either_case (A B t a : R) : (0 < t -> t < a -> A <= B) -> (0 < t -> t >= a -> A <= B) -> 0 < t -> A <= B.
Proof. intros F G P. destruct (Rlt_or_le t a) as [L | L]. apply F; assumption. apply G; lra. Qed.

(* ------------------------------------------------------------------ finite sums: s from 0 to n - 1, and from a to b *)
Fixpoint nsum (g : nat -> R) (n : nat) : R := match n with O => 0 | S k => nsum g k + g k end.
Definition rsum (g : nat -> R) (a b : nat) : R := nsum (fun i => g (a + i)%nat) (S b - a).
Fixpoint least (g : nat -> R) (n : nat) : R := match n with O => g O | S k => Rmin (least g k) (g (S k)) end.

Lemma nsum_le g h n : (forall s, (s < n)%nat -> g s <= h s) -> nsum g n <= nsum h n.
Proof.
  induction n as [| n IH]; intros H; simpl. lra.
  assert (nsum g n <= nsum h n) by (apply IH; intros; apply H; lia). assert (g n <= h n) by (apply H; lia). lra.
Qed.
Lemma nsum_const c n : nsum (fun _ => c) n = INR n * c.
Proof. induction n as [| n IH]. simpl. ring. rewrite S_INR. simpl. rewrite IH. ring. Qed.
Lemma nsum_ext g h n : (forall s, (s < n)%nat -> g s = h s) -> nsum g n = nsum h n.
Proof. intros H. apply Rle_antisym; apply nsum_le; intros s L; rewrite (H s L); lra. Qed.
Lemma nsum_scal c g n : nsum (fun s => c * g s) n = c * nsum g n.
Proof. induction n as [| n IH]; simpl. ring. rewrite IH. ring. Qed.
Theorem rule_sum_monotone g h a b : (forall s, (a <= s)%nat -> (s <= b)%nat -> g s <= h s) -> rsum g a b <= rsum h a b.
Proof. intros H. apply nsum_le. intros s L. apply H; lia. Qed.
Theorem rule_sum_affine c k g n : (1 <= n)%nat -> nsum (fun s => c * g s + k) n = c * nsum g n + INR n * k.
Proof.
  intros _. induction n as [| n IH]. simpl. ring.
  rewrite S_INR. simpl nsum. rewrite IH. ring.
Qed.
Theorem rule_last_term_of_a_sum g n : (1 <= n)%nat -> nsum g (S n) = nsum g n + g n.
Proof. reflexivity. Qed.
Theorem rule_sum_of_nonnegative_terms w n : (forall s, 0 <= w s) -> 0 <= nsum w n.
Proof. intros H. induction n as [| n IH]; simpl. lra. specialize (H n). lra. Qed.
Theorem rule_first_term g : rsum g 1 1 = g 1%nat.
Proof. unfold rsum. simpl. ring. Qed.
Theorem rule_last_term_of_a_discounted_sum c g t : (2 <= t)%nat -> 0 < c ->
  rsum (fun s => c ^ (t - s) * g s) 1 t = c * rsum (fun s => c ^ (t - 1 - s) * g s) 1 (t - 1) + g t.
Proof.
  intros T _. destruct t as [| n]; [lia |]. unfold rsum.
  replace (S (S n) - 1)%nat with (S n) by lia. replace (S (S n - 1) - 1)%nat with n by lia.
  change (nsum (fun i => c ^ (S n - (1 + i)) * g (1 + i)%nat) n + c ^ (S n - (1 + n)) * g (1 + n)%nat
    = c * nsum (fun i => c ^ (S n - 1 - (1 + i)) * g (1 + i)%nat) n + g (S n)).
  replace (S n - (1 + n))%nat with O by lia. change (1 + n)%nat with (S n).
  rewrite <- nsum_scal. rewrite (nsum_ext _ (fun i => c * (c ^ (S n - 1 - (1 + i)) * g (1 + i)%nat))). simpl. ring.
  intros s L. replace (S n - (1 + s))%nat with (S (S n - 1 - (1 + s))) by lia. simpl. ring.
Qed.
Lemma least_le g n s : (s <= n)%nat -> least g n <= g s.
Proof.
  induction n as [| n IH]; intros L; simpl. replace s with O by lia. lra.
  destruct (Nat.eq_dec s (S n)) as [E | E]. rewrite E. apply Rmin_r.
  eapply Rle_trans. apply Rmin_l. apply IH. lia.
Qed.
Theorem rule_minimum_below_average g n c : (1 <= n)%nat -> nsum g n / INR n <= c -> least g (n - 1) <= c.
Proof.
  intros N H. assert (P : 0 < INR n) by (apply lt_0_INR; lia). set (m := least g (n - 1)).
  assert (L : INR n * m <= nsum g n).
  { rewrite <- nsum_const. apply nsum_le. intros s L. apply least_le. lia. }
  eapply Rle_trans; [| exact H]. apply le_over. exact P. lra.
Qed.
Theorem rule_telescope (v w : nat -> R) c n : (1 <= n)%nat ->
  (forall s, (s <= n - 1)%nat -> v (S s) <= v s - w s + c) -> v n <= v O - nsum w n + INR n * c.
Proof.
  intros _ H. assert (G : forall k, (k <= n)%nat -> v k <= v O - nsum w k + INR k * c).
  { induction k as [| k IH]; intros K. simpl. lra.
    rewrite S_INR. simpl. assert (v (S k) <= v k - w k + c) by (apply H; lia). assert (v k <= v O - nsum w k + INR k * c) by (apply IH; lia). lra. }
  apply G. lia.
Qed.
Theorem rule_induction (X C : nat -> R) a n t : X a <= C a ->
  (forall s, (a <= s)%nat -> (s <= n - 1)%nat -> X s <= C s -> X (S s) <= C (S s)) -> (a <= t)%nat -> (t <= n)%nat -> X t <= C t.
Proof.
  intros H0 H A. induction A as [| t A IH]; intros T. exact H0. apply H; [exact A | lia | apply IH; lia].
Qed.
Theorem rule_strict_induction (X C : nat -> R) a n t : X a < C a ->
  (forall s, (a <= s)%nat -> (s <= n - 1)%nat -> X s < C s -> X (S s) < C (S s)) -> (a <= t)%nat -> (t <= n)%nat -> X t < C t.
Proof.
  intros H0 H A. induction A as [| t A IH]; intros T. exact H0. apply H; [exact A | lia | apply IH; lia].
Qed.
Theorem rule_norm_of_a_sum {V : Space} (g : nat -> V) n : norm (vsum g n) <= nsum (fun s => norm (g s)) n.
Proof.
  induction n as [| n IH]; simpl. unfold norm. rewrite dot_zero, sqrt_0. lra.
  eapply Rle_trans. apply rule_triangle. lra.
Qed.
Theorem rule_sum_of_inner_products {V : Space} (w : V) (g : nat -> V) n : nsum (fun s => dot w (g s)) n = dot w (vsum g n).
Proof. induction n as [| n IH]; simpl. rewrite dot_sym, dot_zero. reflexivity. rewrite IH, dot_add_r. reflexivity. Qed.

(* ------------------------------------------------------------------ integrals over bounded intervals *)
Theorem rule_integral_monotone (G H : R -> R) a b : a <= b -> ex_RInt G a b -> ex_RInt H a b ->
  (forall t, a <= t <= b -> G t <= H t) -> RInt G a b <= RInt H a b.
Proof. intros L F K P. apply RInt_le; auto. intros t T. apply P. lra. Qed.
Theorem rule_integral_of_equals (G H : R -> R) a b : a <= b -> (forall t, a < t < b -> G t = H t) -> RInt G a b = RInt H a b.
Proof. intros L P. apply RInt_ext. rewrite Rmin_left, Rmax_right by exact L. exact P. Qed.
Theorem rule_integral_split (G : R -> R) a c b : ex_RInt G a c -> ex_RInt G c b -> RInt G a b = RInt G a c + RInt G c b.
Proof. intros F K. symmetry. apply (RInt_Chasles G a c b F K). Qed.
Theorem rule_integral_scale c (G : R -> R) a b : ex_RInt G a b -> RInt (fun t => c * G t) a b = c * RInt G a b.
Proof. intros F. apply (RInt_scal G a b c F). Qed.

(* ------------------------------------------------------------------ probability *)
Record Prob : Type := {
  Omega : Type;
  measurable : (Omega -> R) -> Prop;
  integrable : (Omega -> R) -> Prop;
  E : (Omega -> R) -> R;
  meas_const : forall c, measurable (fun _ => c);
  meas_plus : forall X Y, measurable X -> measurable Y -> measurable (fun o => X o + Y o);
  meas_mult : forall X Y, measurable X -> measurable Y -> measurable (fun o => X o * Y o);
  integ_meas : forall X, integrable X -> measurable X;
  integ_const : forall c, integrable (fun _ => c);
  integ_plus : forall X Y, integrable X -> integrable Y -> integrable (fun o => X o + Y o);
  integ_scal : forall c X, integrable X -> integrable (fun o => c * X o);
  integ_below : forall X Y, measurable X -> integrable Y -> (forall o, Rabs (X o) <= Y o) -> integrable X;
  E_one : E (fun _ => 1) = 1;
  E_plus : forall X Y, integrable X -> integrable Y -> E (fun o => X o + Y o) = E X + E Y;
  E_scal : forall c X, integrable X -> E (fun o => c * X o) = c * E X;
  E_pos : forall X, integrable X -> (forall o, 0 <= X o) -> 0 <= E X
}.
(* there is one: a single point, so the laws do not contradict each other *)
Definition point : Prob.
Proof.
  refine {| Omega := unit; measurable := fun _ => True; integrable := fun _ => True; E := fun X => X tt |}; intros; auto.
Defined.

Section Probability.
Context {M : Prob}.
Notation Om := (Omega M).
Implicit Types X Y Z : Om -> R.
Implicit Types A B C : Om -> bool.
Definition ind A (o : Om) : R := if A o then 1 else 0.
Definition event A : Prop := measurable M (ind A).
Definition Pr A : R := E M (ind A).
Definition above X (a : R) : Om -> bool := fun o => if Rlt_dec a (X o) then true else false.
Definition upto X (a : R) : Om -> bool := fun o => if Rle_dec (X o) a then true else false.
Definition no A : Om -> bool := fun o => negb (A o).
Definition both A B : Om -> bool := fun o => andb (A o) (B o).
Definition either A B : Om -> bool := fun o => orb (A o) (B o).

Lemma same X Y : (forall o, X o = Y o) -> X = Y.
Proof. apply FunctionalExtensionality.functional_extensionality. Qed.
Lemma ind_range A o : 0 <= ind A o <= 1.
Proof. unfold ind. destruct (A o); lra. Qed.
Lemma ind_integrable A : event A -> integrable M (ind A).
Proof.
  intros H. apply (integ_below M _ (fun _ => 1)). exact H. apply integ_const.
  intros o. pose proof (ind_range A o). rewrite Rabs_pos_eq; lra.
Qed.
Lemma E_const c : E M (fun _ => c) = c.
Proof.
  replace (fun _ : Om => c) with (fun _ : Om => c * 1) by (apply same; intros; ring).
  rewrite (E_scal M c (fun _ => 1)) by apply integ_const. rewrite E_one. ring.
Qed.
Lemma integ_minus X Y : integrable M X -> integrable M Y -> integrable M (fun o => X o - Y o).
Proof.
  intros. replace (fun o => X o - Y o) with (fun o => X o + - 1 * Y o) by (apply same; intros; ring).
  apply integ_plus. assumption. apply integ_scal. assumption.
Qed.
Theorem rule_expectation_shift X Y : integrable M X -> integrable M Y -> E M (fun o => X o - Y o) = E M X - E M Y.
Proof.
  intros F G. replace (fun o => X o - Y o) with (fun o => X o + - 1 * Y o) by (apply same; intros; ring).
  rewrite E_plus, E_scal; auto. ring. apply integ_scal. assumption.
Qed.
Theorem rule_expectation_monotone X Y :
  integrable M X -> integrable M Y -> (forall o, X o <= Y o) -> E M X <= E M Y.
Proof.
  intros F G H. assert (0 <= E M (fun o => Y o - X o)). apply E_pos. apply integ_minus; assumption. intros o. specialize (H o). lra.
  rewrite rule_expectation_shift in H0 by assumption. lra.
Qed.
Theorem rule_expectation_of_equals X Y : (forall o, X o = Y o) -> E M X = E M Y.
Proof. intros H. rewrite (same X Y H). reflexivity. Qed.
Theorem rule_expectation_scale c X : integrable M X -> E M (fun o => c * X o) = c * E M X.
Proof. apply E_scal. Qed.
Theorem rule_expectation_of_a_constant c : E M (fun _ => c) = c.
Proof. apply E_const. Qed.
Theorem rule_expectation_of_a_sum X Y : integrable M X -> integrable M Y -> E M (fun o => X o + Y o) = E M X + E M Y.
Proof. apply E_plus. Qed.
Theorem rule_expectation_of_a_square X : integrable M (fun o => X o ^ 2) -> 0 <= E M (fun o => X o ^ 2).
Proof. intros. apply E_pos. assumption. intros. apply pow2_ge_0. Qed.
Theorem rule_modulus_of_the_expectation X :
  integrable M X -> integrable M (fun o => Rabs (X o)) -> Rabs (E M X) <= E M (fun o => Rabs (X o)).
Proof.
  intros F G. apply Rabs_le. split.
  - assert (E M (fun o => - 1 * X o) <= E M (fun o => Rabs (X o))).
    { apply rule_expectation_monotone; auto. apply integ_scal; assumption. intros o. pose proof (Rle_abs (- X o)). rewrite Rabs_Ropp in H. lra. }
    rewrite E_scal in H by assumption. lra.
  - apply rule_expectation_monotone; auto. intros o. apply Rle_abs.
Qed.
Theorem rule_expectation_of_an_indicator A : E M (ind A) = Pr A.
Proof. reflexivity. Qed.
Theorem rule_indicator_squared A o : ind A o ^ 2 = ind A o.
Proof. unfold ind. destruct (A o); ring. Qed.
Theorem rule_indicator_that_holds A b : (forall o, A o = true) -> forall o, b <= ind A o * b.
Proof. intros H o. unfold ind. rewrite H. lra. Qed.
Theorem rule_indicator_at_most A X Y : (forall o, 0 <= Y o) -> (forall o, A o = true -> X o <= Y o) ->
  forall o, X o * ind A o <= Y o.
Proof.
  intros N H o. unfold ind. specialize (N o). specialize (H o). destruct (A o). rewrite Rmult_1_r. auto.
  rewrite Rmult_0_r. exact N.
Qed.
Theorem rule_indicator_of_an_excess X a o :
  X o * ind (above X a) o = Rmax (X o - a) 0 + a * ind (above X a) o.
Proof.
  unfold ind, above. destruct (Rlt_dec a (X o)) as [L | L]. rewrite Rmax_left; lra. rewrite Rmax_right; lra.
Qed.
Theorem rule_monotone A B : event A -> event B -> (forall o, A o = true -> B o = true) -> Pr A <= Pr B.
Proof.
  intros F G H. apply rule_expectation_monotone; try apply ind_integrable; auto.
  intros o. unfold ind. specialize (H o). destruct (A o). rewrite H by reflexivity. lra. destruct (B o); lra.
Qed.
Theorem rule_same_event A B :
  event A -> event B -> (forall o, A o = true -> B o = true) -> (forall o, B o = true -> A o = true) -> Pr A = Pr B.
Proof. intros. apply Rle_antisym; apply rule_monotone; auto. Qed.
Theorem rule_impossible A : (forall o, A o = false) -> Pr A = 0.
Proof.
  intros H. unfold Pr. rewrite (rule_expectation_of_equals (ind A) (fun _ => 0)). apply E_const.
  intros o. unfold ind. rewrite H. reflexivity.
Qed.
Theorem rule_complement A : event A -> Pr A = 1 - Pr (no A).
Proof.
  intros F. unfold Pr. rewrite (rule_expectation_of_equals (ind (no A)) (fun o => 1 - ind A o)).
  rewrite (rule_expectation_shift (fun _ => 1)). rewrite E_one. ring. apply integ_const. apply ind_integrable. exact F.
  intros o. unfold ind, no. destruct (A o); simpl; ring.
Qed.
Theorem rule_union A B C :
  event A -> event B -> event C -> (forall o, A o = true -> B o = false -> C o = true) -> Pr A <= Pr B + Pr C.
Proof.
  intros F G K H. unfold Pr. rewrite <- E_plus by (apply ind_integrable; assumption).
  apply rule_expectation_monotone. apply ind_integrable; assumption. apply integ_plus; apply ind_integrable; assumption.
  intros o. unfold ind. specialize (H o). destruct (A o), (B o), (C o); try lra.
  all: exfalso; discriminate (H eq_refl eq_refl).
Qed.
Theorem rule_larger_level X a b : event (above X a) -> event (above X b) -> a <= b -> Pr (above X b) <= Pr (above X a).
Proof.
  intros F G L. apply rule_monotone; auto. intros o. unfold above.
  destruct (Rlt_dec b (X o)); destruct (Rlt_dec a (X o)); auto; intros; exfalso; try discriminate; lra.
Qed.
Theorem rule_larger_variable X Y a b : event (above X (a + b)) -> event (above Y a) ->
  (forall o, X o <= Y o + b) -> Pr (above X (a + b)) <= Pr (above Y a).
Proof.
  intros F G L. apply rule_monotone; auto. intros o. specialize (L o). unfold above.
  destruct (Rlt_dec (a + b) (X o)); destruct (Rlt_dec a (Y o)); auto; intros; exfalso; try discriminate; lra.
Qed.
Theorem rule_level_of_equals X a b q : Pr (above X a) <= q -> b = a -> Pr (above X b) <= q.
Proof. intros H L. rewrite L. exact H. Qed.
Theorem rule_wider_range X a b : event (upto X a) -> event (upto X b) -> a <= b -> Pr (upto X a) <= Pr (upto X b).
Proof.
  intros F G L. apply rule_monotone; auto. intros o. unfold upto.
  destruct (Rle_dec (X o) a); destruct (Rle_dec (X o) b); auto; intros; exfalso; try discriminate; lra.
Qed.
Theorem rule_negation X a : Pr (no (upto X a)) = Pr (above X a).
Proof.
  apply rule_expectation_of_equals. intros o. unfold ind, no, upto, above.
  destruct (Rle_dec (X o) a); destruct (Rlt_dec a (X o)); simpl; auto; exfalso; lra.
Qed.
Theorem rule_on_the_event A B q :
  event A -> event B -> Pr A >= 1 - q -> (forall o, A o = true -> B o = true) -> Pr B >= 1 - q.
Proof. intros F G P H. pose proof (rule_monotone A B F G H). lra. Qed.
Theorem rule_both_events A B a b :
  event A -> event B -> event (no A) -> event (no B) -> event (no (both A B)) -> event (both A B) ->
  Pr A >= 1 - a -> Pr B >= 1 - b -> Pr (both A B) >= 1 - a - b.
Proof.
  intros F G F' G' H' H P Q. rewrite (rule_complement (both A B) H).
  rewrite (rule_complement A F) in P. rewrite (rule_complement B G) in Q.
  assert (Pr (no (both A B)) <= Pr (no A) + Pr (no B)).
  { apply rule_union; auto. intros o. unfold no, both. destruct (A o), (B o); simpl; auto. }
  lra.
Qed.

(* families of events with index from a to b *)
Fixpoint some (F : nat -> Om -> bool) (n : nat) : Om -> bool :=
  match n with O => fun _ => false | S k => either (some F k) (F k) end.
Fixpoint all (F : nat -> Om -> bool) (n : nat) : Om -> bool :=
  match n with O => fun _ => true | S k => both (all F k) (F k) end.
Lemma event_none : event (fun _ => false).
Proof. unfold event. replace (ind (fun _ => false)) with (fun _ : Om => 0). apply meas_const. apply same. reflexivity. Qed.
Lemma event_either A B : event A -> event B -> event (either A B).
Proof.
  intros F G. unfold event. replace (ind (either A B)) with (fun o => ind A o + ind B o + - 1 * (ind A o * ind B o)).
  apply meas_plus. apply meas_plus; assumption. apply meas_mult. apply meas_const. apply meas_mult; assumption.
  apply same. intros o. unfold ind, either. destruct (A o), (B o); simpl; ring.
Qed.
Lemma event_some F n : (forall t, event (F t)) -> event (some F n).
Proof. intros H. induction n as [| n IH]; simpl. apply event_none. apply event_either; auto. Qed.
Lemma union_bound F (q : nat -> R) n : (forall t, event (F t)) -> (forall t, (t < n)%nat -> Pr (F t) <= q t) -> Pr (some F n) <= nsum q n.
Proof.
  intros H Q. induction n as [| n IH].
  - simpl. rewrite rule_impossible by reflexivity. lra.
  - simpl nsum. assert (Pr (some F (S n)) <= Pr (some F n) + Pr (F n)).
    { apply rule_union; try apply event_some; auto. intros o. simpl. unfold either. destruct (some F n o), (F n o); simpl; auto. }
    assert (Pr (some F n) <= nsum q n) by (apply IH; intros; apply Q; lia). assert (Pr (F n) <= q n) by (apply Q; lia). lra.
Qed.
Theorem rule_union_bound F (q : nat -> R) (a b : nat) : (forall t, event (F t)) ->
  (forall t, (a <= t)%nat -> (t <= b)%nat -> Pr (F t) <= q t) ->
  Pr (some (fun i => F (a + i)%nat) (S b - a)) <= rsum q a b.
Proof. intros H Q. apply union_bound; auto. intros t T. apply Q; lia. Qed.
Theorem rule_union_over_a_range F (a b : nat) q : (a <= b)%nat -> (forall t, event (F t)) ->
  (forall t, (a <= t)%nat -> (t <= b)%nat -> Pr (F t) <= q) ->
  Pr (some (fun i => F (a + i)%nat) (S b - a)) <= (INR b - INR a + 1) * q.
Proof.
  intros L H Q. replace (INR b - INR a + 1) with (INR (S b - a)) by (rewrite minus_INR, S_INR by lia; ring).
  rewrite <- nsum_const. apply union_bound; auto. intros t T. apply Q; lia.
Qed.
Lemma all_no F n o : all (fun t => no (F t)) n o = no (some F n) o.
Proof.
  induction n as [| n IH]. reflexivity. simpl. unfold both, either in *. rewrite IH. unfold no.
  destruct (some F n o), (F n o); reflexivity.
Qed.
Theorem rule_de_Morgan F n : (forall t, event (F t)) -> Pr (all (fun t => no (F t)) n) = 1 - Pr (some F n).
Proof.
  intros H. rewrite (rule_complement (some F n)) by (apply event_some; exact H).
  replace (Pr (all (fun t => no (F t)) n)) with (Pr (no (some F n))). ring.
  apply rule_expectation_of_equals. intros o. unfold ind. rewrite all_no. reflexivity.
Qed.
Theorem rule_intersection_over_a_range F (q : nat -> R) (a b : nat) : (forall t, event (F t)) ->
  (forall t, event (no (F t))) -> (forall t, (a <= t)%nat -> (t <= b)%nat -> Pr (F t) >= 1 - q t) ->
  Pr (all (fun i => F (a + i)%nat) (S b - a)) >= 1 - rsum q a b.
Proof.
  intros H N Q. replace (Pr (all (fun i => F (a + i)%nat) (S b - a))) with (Pr (all (fun i => no (no (F (a + i)%nat))) (S b - a))).
  - rewrite rule_de_Morgan by auto. assert (Pr (some (fun i => no (F (a + i)%nat)) (S b - a)) <= rsum q a b).
    { apply (rule_union_bound (fun t => no (F t)) q a b); auto. intros t A B. specialize (Q t A B). rewrite (rule_complement (F t)) in Q by auto. lra. }
    lra.
  - apply rule_expectation_of_equals. intros o. unfold ind.
    assert (S : forall n, all (fun i => no (no (F (a + i)%nat))) n o = all (fun i => F (a + i)%nat) n o).
    { induction n as [| n IH]. reflexivity. simpl. unfold both in *. rewrite IH. unfold no. destruct (F (a + n)%nat o); reflexivity. }
    rewrite S. reflexivity.
Qed.

(* inequalities for moments *)
Theorem rule_Markov B X a q : event B -> (forall o, 0 <= X o) -> 0 < a -> 0 < q -> (forall o, B o = true -> a <= X o) ->
  integrable M (fun o => rpw (X o) q) -> Pr B <= E M (fun o => rpw (X o) q) / rpw a q.
Proof.
  intros F N A Q H G. assert (P : 0 < rpw a q) by (apply rpw_pos; exact A).
  apply le_over. exact P. unfold Pr. rewrite Rmult_comm. rewrite <- E_scal by (apply ind_integrable; exact F).
  apply rule_expectation_monotone. apply integ_scal. apply ind_integrable. exact F. exact G.
  intros o. specialize (H o). unfold ind. destruct (B o).
  rewrite Rmult_1_r. specialize (H eq_refl). apply rpw_le_base; lra. rewrite Rmult_0_r. apply rpw_nonneg.
Qed.
Lemma mean_of_products X Y (l : R) : integrable M (fun o => X o ^ 2) -> integrable M (fun o => Y o ^ 2) ->
  integrable M (fun o => X o * Y o) -> 0 <= E M (fun o => X o ^ 2) + 2 * l * E M (fun o => X o * Y o) + l ^ 2 * E M (fun o => Y o ^ 2).
Proof.
  intros F G H. rewrite <- !E_scal, <- !E_plus; auto using integ_scal, integ_plus.
  apply E_pos. auto using integ_scal, integ_plus. intros o.
  replace (X o ^ 2 + 2 * l * (X o * Y o) + l ^ 2 * Y o ^ 2) with ((X o + l * Y o) ^ 2) by ring. apply pow2_ge_0.
Qed.
Theorem rule_Cauchy_Schwarz_in_L2 X Y : integrable M (fun o => X o ^ 2) -> integrable M (fun o => Y o ^ 2) ->
  integrable M (fun o => X o * Y o) ->
  E M (fun o => X o * Y o) <= sqrt (E M (fun o => X o ^ 2)) * sqrt (E M (fun o => Y o ^ 2)).
Proof.
  intros F G H. apply by_square_le. apply Rmult_le_pos; apply sqrt_pos.
  rewrite Rpow_mult_distr, !pow2_sqrt by (apply rule_expectation_of_a_square; assumption).
  apply discriminant; try (apply rule_expectation_of_a_square; assumption). intros l. apply mean_of_products; assumption.
Qed.
Theorem rule_Minkowski X Y : integrable M (fun o => X o ^ 2) -> integrable M (fun o => Y o ^ 2) ->
  integrable M (fun o => X o * Y o) ->
  E M (fun o => (X o + Y o) ^ 2) <= (sqrt (E M (fun o => X o ^ 2)) + sqrt (E M (fun o => Y o ^ 2))) ^ 2.
Proof.
  intros F G H. pose proof (rule_Cauchy_Schwarz_in_L2 X Y F G H) as C.
  rewrite (rule_expectation_of_equals (fun o => (X o + Y o) ^ 2) (fun o => X o ^ 2 + 2 * (X o * Y o) + Y o ^ 2)) by (intros; ring).
  rewrite !E_plus, E_scal; auto using integ_scal, integ_plus.
  pose proof (pow2_sqrt _ (rule_expectation_of_a_square X F)). pose proof (pow2_sqrt _ (rule_expectation_of_a_square Y G)). nra.
Qed.
(* rpw is concave: t ** k <= 1 + k (t - 1) for 0 <= k <= 1, so m ** k - tangents give Jensen *)
Lemma power_below_tangent t k : 0 <= t -> 0 < k -> k <= 1 -> rpw t k <= 1 + k * (t - 1).
Proof.
  intros T K L. pose proof (weighted_means ((k, t) :: (1 - k, 1) :: nil)) as H. simpl in H. rewrite rpw_base_one in H.
  apply Rle_trans with (rpw t k * (1 * 1)). lra. eapply Rle_trans. apply H; repeat split; lra. lra.
Qed.
Lemma power_mean X q r m : (forall o, 0 <= X o) -> 0 < q -> q <= r -> 0 < m -> integrable M (fun o => rpw (X o) q) ->
  integrable M (fun o => rpw (X o) r) ->
  E M (fun o => rpw (X o) q) <= rpw m (q / r) * (1 - q / r) + rpw m (q / r) * (q / r) / m * E M (fun o => rpw (X o) r).
Proof.
  intros N Q L P F G. set (k := q / r).
  assert (K : 0 < k <= 1) by (unfold k; split; [apply Rdiv_lt_0_compat; lra | apply over_le; lra]).
  assert (Pk : 0 < rpw m k) by (apply rpw_pos; exact P).
  assert (T : forall o, rpw (X o) q <= rpw m k * (1 - k) + rpw m k * k / m * rpw (X o) r).
  { intros o. destruct (N o) as [A | A].
    - pose proof (power_below_tangent (rpw (X o) r / m) k) as H.
      assert (B : 0 < rpw (X o) r) by (apply rpw_pos; exact A).
      assert (R1 : rpw (rpw (X o) r / m) k = rpw (X o) q / rpw m k).
      { apply same_ln. apply rpw_pos. apply Rdiv_lt_0_compat; lra. apply Rdiv_lt_0_compat. apply rpw_pos; exact A. exact Pk.
        rewrite ln_rpw by (apply Rdiv_lt_0_compat; lra). rewrite !ln_div_pos by (try apply rpw_pos; lra).
        rewrite !ln_rpw by lra. unfold k. field. lra. }
      rewrite R1 in H.
      assert (C : rpw (X o) q / rpw m k <= 1 + k * (rpw (X o) r / m - 1)).
      { apply H; [left; apply Rdiv_lt_0_compat; lra | lra | lra]. }
      apply (Rmult_le_compat_l (rpw m k)) in C; [| lra].
      replace (rpw m k * (rpw (X o) q / rpw m k)) with (rpw (X o) q) in C by (field; lra).
      replace (rpw m k * (1 - k) + rpw m k * k / m * rpw (X o) r) with (rpw m k * (1 + k * (rpw (X o) r / m - 1)))
        by (field; lra).
      exact C.
    - rewrite <- A, !rpw_zero. rewrite Rmult_0_r, Rplus_0_r. apply Rmult_le_pos; lra. }
  eapply Rle_trans. apply (rule_expectation_monotone _ (fun o => rpw m k * (1 - k) + rpw m k * k / m * rpw (X o) r)).
  exact F. apply integ_plus. apply integ_const. apply integ_scal. exact G. exact T.
  rewrite E_plus, E_const, E_scal by (try apply integ_const; try apply integ_scal; exact G). lra.
Qed.
Theorem rule_Lyapunov X q r : (forall o, 0 <= X o) -> 0 < q -> q <= r -> integrable M (fun o => rpw (X o) q) ->
  integrable M (fun o => rpw (X o) r) -> E M (fun o => rpw (X o) q) <= rpw (E M (fun o => rpw (X o) r)) (q / r).
Proof.
  intros N Q L F G. set (m := E M (fun o => rpw (X o) r)).
  assert (K : 0 < q / r <= 1) by (split; [apply Rdiv_lt_0_compat; lra | apply over_le; lra]).
  assert (Z : 0 <= m) by (apply E_pos; [exact G | intros; apply rpw_nonneg]). destruct Z as [P | P].
  - eapply Rle_trans. apply (power_mean X q r m); assumption. fold m. right. field. lra.
  - rewrite <- P, rpw_zero. set (e := E M (fun o => rpw (X o) q)). destruct (Rle_or_lt e 0) as [B | B]. exact B. exfalso.
    pose proof (power_mean X q r (rpw (e / 2) (/ (q / r)))) as H. fold e m in H. rewrite <- P in H.
    assert (R1 : rpw (rpw (e / 2) (/ (q / r))) (q / r) = e / 2).
    { apply same_ln. apply rpw_pos. apply rpw_pos. lra. lra. rewrite !ln_rpw by (try apply rpw_pos; lra). field. lra. }
    rewrite R1 in H. assert (e <= e / 2 * (1 - q / r) + e / 2 * (q / r) / rpw (e / 2) (/ (q / r)) * 0).
    { apply H; auto. apply rpw_pos. lra. }
    nra.
Qed.
Theorem rule_tail_of_a_multiple X v a c p : (forall t, 0 < t -> Pr (above X t) <= rpw (c / t) p) -> 0 < v -> 0 < a ->
  Pr (above (fun o => X o * v) a) <= rpw (c * v / a) p.
Proof.
  intros H V A. replace (c * v / a) with (c / (a / v)) by (field; lra).
  replace (Pr (above (fun o => X o * v) a)) with (Pr (above X (a / v))). apply H. apply Rdiv_lt_0_compat; assumption.
  apply rule_expectation_of_equals. intros o. unfold ind, above.
  destruct (Rlt_dec (a / v) (X o)) as [L | L]; destruct (Rlt_dec a (X o * v)) as [K | K]; auto; exfalso.
  - apply K. apply (Rmult_lt_compat_r v) in L; [| exact V]. unfold Rdiv in L. rewrite Rmult_assoc, Rinv_l in L; lra.
  - apply L. apply over_lt. exact V. lra.
Qed.
Theorem rule_tail_of_zero X v a b : (0 < v -> Pr (above (fun o => X o * v) a) <= b) -> 0 <= v -> 0 < a -> 0 <= b ->
  Pr (above (fun o => X o * v) a) <= b.
Proof.
  intros H [V | V] A P. apply H. exact V. rewrite rule_impossible. exact P.
  intros o. unfold above. destruct (Rlt_dec a (X o * v)) as [L | L]; auto. exfalso. rewrite <- V in L. lra.
Qed.
End Probability.
