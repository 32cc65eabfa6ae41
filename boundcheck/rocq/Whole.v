(* What whole statements need: vectors that are equal when nothing tells them apart, and the tactics of their steps. *)
From Coq Require Import Reals Lra Psatz ZArith Lia.
From Coquelicot Require Import Coquelicot.
Require Import Boundcheck Rules.
Open Scope R_scope.

(* vectors with the same inner products are the same: true of every real inner product space *)
Definition separated (S : Space) : Prop := forall x y : S, (forall z, dot x z = dot y z) -> x = y.

Ltac bw_turn := repeat match goal with |- context [dot ?a ?b] => match goal with |- context [dot b a] =>
  tryif constr_eq a b then fail else rewrite (dot_sym _ a b) end end.
Ltac bw_expand := unfold vsub, vneg; rewrite ?Rpow_mult_distr, ?norm_sq;
  repeat progress (rewrite ?dot_add, ?dot_add_r, ?dot_scal, ?dot_scal_r, ?dot_zero, ?dot_zero_r); bw_turn.
(* norms of vectors that are equal up to sign, moduli of numbers that are *)
Ltac bw_sizes := match goal with
  | |- norm ?x = norm ?y => unfold norm; f_equal; bw_expand; first [ring | bc_field]
  | |- Rabs ?a = Rabs ?b => first [f_equal; solve [ring | bc_field] | replace b with (- a) by (first [ring | bc_field]); symmetry; apply Rabs_Ropp]
  end.
(* one name for what is equal: arguments of the same function that ring makes equal *)
Ltac bw_deep := first [reflexivity | ring | progress f_equal; bw_deep].
Ltac bw_same_args := first [solve [bw_deep] | bw_sizes | solve [f_equal; bc_field]].
Ltac bw_same_light := first [solve [bw_deep] | bw_sizes | solve [f_equal; field; repeat split; bc_sgn]].
Ltac bw_merge_by tac := repeat match goal with
  | |- context [ln ?a] => match goal with |- context [ln ?c] => tryif constr_eq a c then fail
      else replace (ln c) with (ln a) by tac end
  | |- context [Rmin ?a ?b] => match goal with |- context [Rmin ?c ?d] => tryif constr_eq (Rmin a b) (Rmin c d) then fail
      else replace (Rmin c d) with (Rmin a b) by (first [tac | rewrite Rmin_comm; tac]) end
  | |- context [Rmax ?a ?b] => match goal with |- context [Rmax ?c ?d] => tryif constr_eq (Rmax a b) (Rmax c d) then fail
      else replace (Rmax c d) with (Rmax a b) by (first [tac | rewrite Rmax_comm; tac]) end
  | |- context [rpw ?a ?b] => match goal with |- context [rpw ?c ?d] => tryif constr_eq (rpw a b) (rpw c d) then fail
      else replace (rpw c d) with (rpw a b) by tac end
  | |- context [sqrt ?a] => match goal with |- context [sqrt ?c] => tryif constr_eq a c then fail
      else replace (sqrt c) with (sqrt a) by tac end
  | |- context [exp ?a] => match goal with |- context [exp ?c] => tryif constr_eq a c then fail
      else replace (exp c) with (exp a) by tac end
  | |- context [Rabs ?a] => match goal with |- context [Rabs ?c] => tryif constr_eq a c then fail
      else replace (Rabs c) with (Rabs a) by tac end
  | |- context [dot ?a ?b] => match goal with |- context [dot ?c ?d] => tryif constr_eq (dot a b) (dot c d) then fail
      else replace (dot c d) with (dot a b) by (solve [bw_deep | rewrite dot_sym; bw_deep]) end
  | |- context [norm ?a] => match goal with |- context [norm ?c] => tryif constr_eq a c then fail
      else replace (norm c) with (norm a) by tac end
  end; first [reflexivity | ring | lra | bc_field].
Ltac bw_merge := bw_merge_by bw_same_args.
Ltac bw_merge_light := bw_merge_by bw_same_light.
Lemma Rabs_fourth x : Rabs x ^ 4 = x ^ 4.
Proof. replace (Rabs x ^ 4) with ((Rabs x ^ 2) ^ 2) by ring. rewrite Rabs_square. ring. Qed.
Ltac bw_vector := match goal with A : separated ?V |- _ = _ => apply A; let z := fresh "z" in intros z end;
  unfold vsub, vneg; repeat progress (rewrite ?dot_add, ?dot_scal, ?dot_zero); first [ring | lra | timeout 3 bc_field | timeout 5 bw_merge].
(* equal up to the normal form of arguments *)
Ltac bw_congruent := first [reflexivity | apply dot_sym | bw_vector | progress f_equal; bw_congruent
  | apply FunctionalExtensionality.functional_extensionality; let x := fresh "x" in intros x; cbv beta; bw_congruent ].
Lemma rpw_square x : 0 <= x -> rpw x 2 = x ^ 2.
Proof.
  intros [P | Z]. replace 2 with (1 + 1) by lra. rewrite rpw_plus, rpw_one by lra. ring. rewrite <- Z, rpw_zero. ring.
Qed.
Ltac bw_even := match goal with |- context [Rabs _] => rewrite ?Rpow_mult_distr, ?Rabs_square, ?Rabs_fourth; first [ring | bc_field] end.
Ltac bw_square := match goal with |- context [rpw ?x 2] => rewrite (rpw_square x) by bc_sgn end; first [ring | bc_field | bw_even].
Ltac bw_equal := first [solve [bw_congruent] | ring | solve [bc_field] | solve [bw_even] | solve [bw_square]
  | match goal with
    | |- Rmax ?a ?b = Rmax _ _ => solve [f_equal; bw_equal | rewrite (Rmax_comm a b); f_equal; bw_equal]
    | |- Rmin ?a ?b = Rmin _ _ => solve [f_equal; bw_equal | rewrite (Rmin_comm a b); f_equal; bw_equal]
    end
  | solve [bw_sizes]
  | progress f_equal; bw_equal
  | apply FunctionalExtensionality.functional_extensionality; let x := fresh "x" in intros x; cbv beta; first [timeout 5 bw_merge | bw_equal] ].
Ltac bw_same := match goal with H : ?P |- ?Q => cut (P = Q); [let E := fresh in intros E; rewrite <- E; exact H | solve [bw_equal]] end.
Ltac bw_vectors := repeat match goal with H : ?x = ?y :> car _ |- _ => first [rewrite H in * | idtac]; clear H end; bw_vector.
Ltac bw_plain := cbv beta in *; first [assumption | reflexivity | lra | apply norm_nonneg | solve [bc_whole]].
Ltac bw_find := intros; match goal with H : _ |- _ => solve [first [apply H | apply Rge_le, H | apply Rle_ge, H | apply Rgt_lt, H | apply Rlt_gt, H]; first [assumption | lra | bc_whole]] end.
(* relations of events turned about *)
Ltac bw_events := repeat match goal with H : ~ (_ < _) |- _ => apply Rnot_lt_le in H | H : ~ (_ <= _) |- _ => apply Rnot_le_lt in H
  | |- ~ (_ < _) => apply Rle_not_lt | |- ~ (_ <= _) => apply Rlt_not_le | |- ~ (_ > _) => apply Rle_not_gt | |- ~ (_ >= _) => apply Rlt_not_ge end.
Ltac bw_rewrite := do 6 try match goal with H : ?a = ?b |- context [?a] => rewrite H end;
  first [reflexivity | lra | ring | solve [bc_field] | bw_merge].
Ltac bw_hard := first [bw_find | bw_equal | timeout 10 bw_vectors | timeout 10 bw_same | timeout 10 bw_rewrite | timeout 10 nra | timeout 20 bc_side].
Ltac bw_scalar := first [assumption | lra | apply Req_le; assumption].
(* two bounds in a row whose middles are equal up to the arguments of functions *)
Ltac bw_link := match goal with H : ?a <= ?b, K : ?c <= ?d |- ?a <= ?d =>
  apply (Rle_trans a b d H); apply (Rle_trans b c d); [apply Req_le; bw_merge | exact K] end.
Ltac bw_scalar_hard := first [timeout 10 bw_link | timeout 10 bc_field | timeout 10 nra | timeout 20 bc_side].
Ltac bw_premise := first [assumption | lra | timeout 5 bc_field | timeout 5 nra | timeout 20 bc_side].
Ltac bw_apply t := first [apply t | eapply Req_le; apply t | apply Rge_le; apply t | apply Rle_ge; apply t]; first [assumption | lra | apply Rle_ge, norm_nonneg | apply norm_nonneg | bw_equal].
Ltac bw_real := first [ solve [bw_deep] | solve [bw_sizes] | timeout 5 bw_merge | solve [bw_congruent] | ring | solve [rewrite ?rule_norm_scale; rewrite ?(Rabs_pos_eq _) by lra; first [solve [bw_congruent] | ring]] | solve [bw_expand; ring] | solve [bw_expand; bc_field] | bw_equal].
(* H up to the normal form of both sides *)
Ltac bw_sides H := match type of H with
  | _ <= _ => eapply Rle_trans; [apply Req_le | eapply Rle_trans; [exact H | apply Req_le]]; bw_real
  | ?a = ?b :> R => match goal with |- ?c = ?d => transitivity a; [bw_real | transitivity b; [exact H | bw_real]] end
  end.
Ltac bw_got H := first [exact H | lra | timeout 10 (bw_sides H) | match type of H with ?P => match goal with |- ?Q =>
  cut (P = Q); [let E := fresh in intros E; rewrite <- E; exact H | solve [timeout 8 bw_equal]] end end
  | rewrite ?dot_scal, ?dot_scal_r in *; first [lra | solve [bc_field]] ].
(* H with other forms of the numbers in it *)
Ltac bw_terms := first [reflexivity | ring | bw_merge_light | solve [bc_field]].
Ltac bw_parts := first [reflexivity | match goal with |- @eq R _ _ => bw_terms end
  | apply FunctionalExtensionality.functional_extensionality; let x := fresh "x" in intros x; cbv beta; bw_parts
  | progress f_equal; bw_parts].
Ltac bw_alike H := match type of H with ?P => match goal with |- ?Q =>
  cut (P = Q); [let E := fresh in intros E; rewrite <- E; exact H | solve [bw_parts]] end end.
(* a bound whose sides are equal to those of h after powers, roots and logarithms are merged *)
Ltac bw_long h := let H := fresh in pose proof h as H; match type of H with _ <= _ =>
  eapply Rle_trans; [apply Req_le | eapply Rle_trans; [exact H | apply Req_le]]; timeout 60 bw_merge_light end.
Tactic Notation "bw_from" constr(h) "by" tactic3(t) := intros; first [apply h; first [assumption | lra | t]
  | eapply Rle_trans; [eapply h; first [eassumption | lra] | apply Req_le; solve [timeout 5 bw_deep | timeout 5 bw_merge]]
  | let H := fresh in pose proof h as H; bw_got H
  | lazymatch goal with x : R |- _ => let H := fresh in pose proof (h x) as H; repeat match type of H with ?A -> _ =>
      let P := fresh in assert (P : A) by (first [assumption | lra]); specialize (H P); clear P end; bw_got H end ].
Tactic Notation "bw_chain" hyp(H) "by" tactic3(t) := cbv beta in H; repeat match type of H with
  | ?A -> ?B => let P := fresh in assert (P : A); [ first [assumption | lra | bw_find | solve [intros; t]] | specialize (H P); clear P ] end.
(* an implication between events from one that is equal up to the normal form of both sides *)
Ltac bw_implied j := intros; lazymatch goal with G : _ |- _ => match goal with o : _ |- _ =>
  let H := fresh in let P := fresh in pose proof (j o) as H; lazymatch type of H with ?A -> _ =>
    assert (P : A) by first [exact G | timeout 60 (bw_alike G) | bw_got G];
    specialize (H P); first [exact H | timeout 60 (bw_alike H) | bw_got H] end end end.
Ltac bw_zero g := match goal with H : 0 = g |- _ => rewrite <- H; ring end.
Tactic Notation "bw_times" tactic3(t) := apply Rmult_le_pos; [first [solve [t] | timeout 10 bc_sgn | apply Rge_le; t] | lra].

(* the indicator of an event, by the decidability that the reals have *)
Definition decide (A : Prop) : {A} + {~ A}.
Proof. destruct (ClassicalDedekindReals.sig_not_dec A) as [H | H]; [left; apply Classical_Prop.NNPP; exact H | right; exact H]. Defined.
Definition ind (A : Prop) : R := if decide A then 1 else 0.
Lemma ind_true (A : Prop) : A -> ind A = 1.
Proof. unfold ind. destruct (decide A); intros; [reflexivity | contradiction]. Qed.
Lemma ind_false (A : Prop) : ~ A -> ind A = 0.
Proof. unfold ind. destruct (decide A); intros; [contradiction | reflexivity]. Qed.
Lemma ind_holds (A : Prop) : ind A = 1 -> A.
Proof. unfold ind. destruct (decide A); intros; [assumption | lra]. Qed.
Lemma ind_fails (A : Prop) : ind A = 0 -> ~ A.
Proof. unfold ind. destruct (decide A); intros; [lra | assumption]. Qed.
Lemma ind_range (A : Prop) : 0 <= ind A <= 1.
Proof. unfold ind. destruct (decide A); lra. Qed.
Lemma ind_bound (A : Prop) : Rabs (ind A) <= 1.
Proof. rewrite Rabs_pos_eq; apply ind_range. Qed.
(* families of events over the whole numbers from a to b *)
Definition meet (A : R -> Prop) (a b : R) : Prop := forall t, isint t -> a <= t -> t <= b -> A t.
Definition union (A : R -> Prop) (a b : R) : Prop := exists t, isint t /\ a <= t /\ t <= b /\ A t.

(* bounded where D holds *)
Section Bounded.
Context {S : Space} {T : Type}.
Variable D : T -> Prop.
Implicit Types f g : T -> R.
Implicit Types u v : T -> S.
Definition bdd f := exists c, forall x, D x -> Rabs (f x) <= c.
Definition bddv u := exists c, forall x, D x -> norm (u x) <= c.
Lemma bdd_add_R f g : bdd f -> bdd g -> exists c, forall x, D x -> Rabs (f x + g x) <= c.
Proof. intros [c H] [d K]. exists (c + d). intros x P. pose proof (Rabs_triang (f x) (g x)). specialize (H x P). specialize (K x P). lra. Qed.
Lemma bdd_neg_R f : bdd f -> exists c, forall x, D x -> Rabs (- f x) <= c.
Proof. intros [c H]. exists c. intros x P. rewrite Rabs_Ropp. auto. Qed.
Lemma bdd_sub_R f g : bdd f -> bdd g -> exists c, forall x, D x -> Rabs (f x - g x) <= c.
Proof. intros H K. apply (bdd_add_R f (fun x => - g x)). exact H. apply bdd_neg_R. exact K. Qed.
Lemma bdd_mul_R f g : bdd f -> bdd g -> exists c, forall x, D x -> Rabs (f x * g x) <= c.
Proof. intros [c H] [d K]. exists (c * d). intros x P. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. Qed.
Lemma bdd_div_R f (k : R) : bdd f -> exists c, forall x, D x -> Rabs (f x / k) <= c.
Proof. intros H. apply (bdd_mul_R f (fun _ => / k)). exact H. exists (Rabs (/ k)). intros. lra. Qed.
Lemma bdd_abs_R f : bdd f -> exists c, forall x, D x -> Rabs (Rabs (f x)) <= c.
Proof. intros [c H]. exists c. intros x P. rewrite Rabs_Rabsolu. auto. Qed.
Lemma bdd_pow_R f n : bdd f -> exists c, forall x, D x -> Rabs (f x ^ n) <= c.
Proof. intros H. induction n as [| n [c K]]. exists 1. intros. simpl. rewrite Rabs_R1. lra.
  destruct H as [d L]. exists (d * c). intros x P. simpl. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. Qed.
Lemma bdd_max_R f g : bdd f -> bdd g -> exists c, forall x, D x -> Rabs (Rmax (f x) (g x)) <= c.
Proof. intros [c H] [d K]. exists (Rmax c d). intros x P. specialize (H x P). specialize (K x P).
  pose proof (Rmax_l c d). pose proof (Rmax_r c d). unfold Rmax at 1. destruct (Rle_dec (f x) (g x)); lra. Qed.
Lemma bdd_min_R f g : bdd f -> bdd g -> exists c, forall x, D x -> Rabs (Rmin (f x) (g x)) <= c.
Proof. intros [c H] [d K]. exists (Rmax c d). intros x P. specialize (H x P). specialize (K x P).
  pose proof (Rmax_l c d). pose proof (Rmax_r c d). unfold Rmin. destruct (Rle_dec (f x) (g x)); lra. Qed.
Lemma bdd_clip_R f a b : exists c, forall x, D x -> Rabs (Rmax a (Rmin (f x) b)) <= c.
Proof. exists (Rabs a + Rabs b). intros x _. pose proof (Rle_abs a). pose proof (Rle_abs b). pose proof (Rle_abs (- a)). pose proof (Rle_abs (- b)).
  rewrite Rabs_Ropp in *. pose proof (Rabs_pos a). pose proof (Rabs_pos b).
  apply Rabs_le. unfold Rmax, Rmin. destruct (Rle_dec (f x) b); destruct (Rle_dec a _); lra. Qed.
Lemma bdd_add_V u v : bddv u -> bddv v -> exists c, forall x, D x -> norm (vadd (u x) (v x)) <= c.
Proof. intros [c H] [d K]. exists (c + d). intros x P. pose proof (rule_triangle (u x) (v x)). specialize (H x P). specialize (K x P). lra. Qed.
Lemma bdd_scal_V f u : bdd f -> bddv u -> exists c, forall x, D x -> norm (vscal (f x) (u x)) <= c.
Proof. intros [c H] [d K]. exists (c * d). intros x P. rewrite rule_norm_scale. apply Rmult_le_compat; auto using Rabs_pos, norm_nonneg. Qed.
Lemma bdd_neg_V u : bddv u -> exists c, forall x, D x -> norm (vneg (u x)) <= c.
Proof. intros K. unfold vneg. apply (bdd_scal_V (fun _ => - 1) u). exists 1. intros. apply Rabs_le. lra. exact K. Qed.
Lemma bdd_sub_V u v : bddv u -> bddv v -> exists c, forall x, D x -> norm (vsub (u x) (v x)) <= c.
Proof. intros H K. unfold vsub. apply (bdd_add_V u (fun x => vneg (v x))). exact H. apply bdd_neg_V. exact K. Qed.
Lemma bdd_div_V u (k : R) : bddv u -> exists c, forall x, D x -> norm (vscal (/ k) (u x)) <= c.
Proof. intros K. apply (bdd_scal_V (fun _ => / k) u). exists (Rabs (/ k)). intros. lra. exact K. Qed.
Lemma bdd_norm_R u : bddv u -> exists c, forall x, D x -> Rabs (norm (u x)) <= c.
Proof. intros [c H]. exists c. intros x P. rewrite Rabs_pos_eq by apply norm_nonneg. auto. Qed.
Lemma bdd_dot_R u v : bddv u -> bddv v -> exists c, forall x, D x -> Rabs (dot (u x) (v x)) <= c.
Proof. intros [c H] [d K]. exists (c * d). intros x P. eapply Rle_trans. apply rule_Cauchy_Schwarz. apply Rmult_le_compat; auto using norm_nonneg. Qed.
End Bounded.
Lemma bdd_id_R (a b : R) : exists c, forall t, a <= t <= b -> Rabs t <= c.
Proof. exists (Rabs a + Rabs b). intros t I. pose proof (Rle_abs (- a)). pose proof (Rle_abs b). rewrite Rabs_Ropp in *. pose proof (Rabs_pos a).
  pose proof (Rabs_pos b). apply Rabs_le. lra. Qed.
Lemma bdd_continuous (f : R -> R) (a b : R) : (forall t, a <= t <= b -> continuity_pt f t) -> exists c, forall t, a <= t <= b -> Rabs (f t) <= c.
Proof.
  intros C. destruct (Rle_or_lt a b) as [L | L]; [| exists 0; intros; lra].
  destruct (continuity_ab_maj f a b L C) as [m [M _]]. destruct (continuity_ab_min f a b L C) as [n [N _]].
  exists (Rabs (f m) + Rabs (f n)). intros t I. specialize (M t I). specialize (N t I).
  pose proof (Rle_abs (f m)). pose proof (Rle_abs (- f n)). rewrite Rabs_Ropp in *. pose proof (Rabs_pos (f m)). pose proof (Rabs_pos (f n)).
  apply Rabs_le. lra.
Qed.
Ltac bw_power := match goal with |- ?a = ?b => bc_by_ln end.
Lemma between (a b x : R) : a <= x -> x <= b -> Rabs x <= Rabs a + Rabs b.
Proof. intros H K. pose proof (Rle_abs (- a)). pose proof (Rle_abs b). rewrite Rabs_Ropp in *. pose proof (Rabs_pos a). pose proof (Rabs_pos b). apply Rabs_le. lra. Qed.

(* finite sums of equal terms, integrals of powers *)
Lemma equal_terms_R (sum : (R -> R) -> R -> R -> R) :
  (forall f a, sum f a (a - 1) = 0) -> (forall f a b, isint a -> isint b -> a <= b -> sum f a b = sum f a (b - 1) + f b) ->
  forall c a b, isint a -> isint b -> a <= b + 1 -> sum (fun _ => c) a b = (b - a + 1) * c.
Proof.
  intros N L c a b [i A] [j B] O. subst.
  assert (P : (0 <= j - i + 1)%Z) by (apply le_IZR; rewrite plus_IZR, minus_IZR; lra).
  replace j with (i - 1 + Z.of_nat (Z.to_nat (j - i + 1)))%Z by (rewrite Z2Nat.id by exact P; ring).
  generalize (Z.to_nat (j - i + 1)). intros n. induction n as [| n H].
  - simpl Z.of_nat. rewrite Z.add_0_r, minus_IZR, N. ring.
  - rewrite L; [| exists i; reflexivity | exists (i - 1 + Z.of_nat (S n))%Z; reflexivity |].
    + replace (IZR (i - 1 + Z.of_nat (S n)) - 1) with (IZR (i - 1 + Z.of_nat n)).
      * rewrite H, Nat2Z.inj_succ, !plus_IZR, succ_IZR, !minus_IZR. ring.
      * rewrite Nat2Z.inj_succ, !plus_IZR, succ_IZR. ring.
    + apply IZR_le. lia.
Qed.
Lemma equal_terms_V {S : Space} (apart : separated S) (sum : (R -> S) -> R -> R -> S) :
  (forall f a, sum f a (a - 1) = vzero) -> (forall f a b, isint a -> isint b -> a <= b -> sum f a b = vadd (sum f a (b - 1)) (f b)) ->
  forall c a b, isint a -> isint b -> a <= b + 1 -> sum (fun _ => c) a b = vscal (b - a + 1) c.
Proof.
  intros N L c a b [i A] [j B] O. subst.
  assert (P : (0 <= j - i + 1)%Z) by (apply le_IZR; rewrite plus_IZR, minus_IZR; lra).
  replace j with (i - 1 + Z.of_nat (Z.to_nat (j - i + 1)))%Z by (rewrite Z2Nat.id by exact P; ring).
  generalize (Z.to_nat (j - i + 1)). intros n. induction n as [| n H].
  - simpl Z.of_nat. rewrite Z.add_0_r, minus_IZR, N. apply apart. intros z. rewrite dot_zero, dot_scal. ring.
  - rewrite L; [| exists i; reflexivity | exists (i - 1 + Z.of_nat (Datatypes.S n))%Z; reflexivity |].
    + replace (IZR (i - 1 + Z.of_nat (Datatypes.S n)) - 1) with (IZR (i - 1 + Z.of_nat n)).
      * rewrite H. apply apart. intros z. rewrite dot_add, !dot_scal, Nat2Z.inj_succ, !plus_IZR, succ_IZR, !minus_IZR. ring.
      * rewrite Nat2Z.inj_succ, !plus_IZR, succ_IZR. ring.
    + apply IZR_le. lia.
Qed.
Lemma is_derive_as (f : R -> R) (x a b : R) : is_derive f x a -> a = b -> is_derive f x b.
Proof. intros H E. rewrite <- E. exact H. Qed.
Lemma primitive_of_power (c q x : R) : 0 < x -> q + 1 <> 0 -> is_derive (fun t : R => c * rpw t (q + 1) / (q + 1)) x (c * rpw x q).
Proof.
  intros P N. eapply is_derive_as; [d_find; assumption |]. replace (q + 1 - 1) with q by ring. field. exact N.
Qed.
Lemma primitive_of_inverse (c x : R) : 0 < x -> is_derive (fun t : R => c * ln t) x (c * / x).
Proof. intros P. eapply is_derive_as; [d_find; assumption |]. field. lra. Qed.
Lemma primitive_of_whole (c k : R) (n : nat) (x : R) : INR (S n) = k -> is_derive (fun t : R => c * t ^ S n / k) x (c * x ^ n).
Proof. intros <-. pose proof (pos_INR n). assert (INR (S n) <> 0) by (rewrite S_INR; lra). eapply is_derive_as; [d_find; assumption |].
  simpl pred. field. assumption. Qed.
Lemma power_vanishes (c a : R) : a < 0 -> is_lim (fun t => c * rpw t a / a) p_infty 0.
Proof.
  intros N. apply (is_lim_ext_loc (fun t => c / a * exp (a * ln t))).
  - exists 1. intros t P. rewrite rpw_exp by lra. field. lra.
  - replace (Finite 0) with (Rbar_mult (c / a) 0) by (simpl; f_equal; ring). apply is_lim_scal_l.
    apply (is_lim_comp exp (fun t => a * ln t) p_infty 0 m_infty).
    + apply is_lim_exp_m.
    + replace m_infty with (Rbar_mult a p_infty).
      * apply is_lim_scal_l. apply is_lim_ln_p.
      * simpl. destruct (Rle_dec 0 a) as [H | H]; [exfalso; lra | reflexivity].
    + exists 0. intros. discriminate.
Qed.
Ltac bw_above t := try (assert (0 < t) by (first [lra | match goal with I : _ <= t <= _ |- _ => eapply Rlt_le_trans; [| exact (proj1 I)]
  | I : _ <= t |- _ => eapply Rlt_le_trans; [| exact I] end; bc_sgn])).
Ltac bw_integrand := first [reflexivity | ring | solve [bw_merge] | bc_by_ln | bc_field].
Ltac bw_closed := cbv beta; first [lra | timeout 20 bw_merge | timeout 20 bc_field | timeout 20 bc_by_lns | bw_equal | bc_by_ln].

(* rules as whole statements state them: indices are real numbers that are whole *)
Theorem typed_induction (X C : R -> R) (a n t : R) : isint a -> isint n -> isint t -> X a <= C a ->
  (forall s, isint s -> s >= a -> s <= n - 1 -> X s <= C s -> X (s + 1) <= C (s + 1)) -> t >= a -> t <= n -> X t <= C t.
Proof.
  intros [i A] _ [k T] Z H P Q. subst. assert (0 <= k - i)%Z by (apply le_IZR; rewrite minus_IZR; lra). revert Q.
  replace k with (i + Z.of_nat (Z.to_nat (k - i)))%Z by (rewrite Z2Nat.id by assumption; ring).
  generalize (Z.to_nat (k - i)). intros j. induction j as [| j IH]; intros Q.
  - replace (i + Z.of_nat 0)%Z with i by (simpl; ring). exact Z.
  - replace (IZR (i + Z.of_nat (S j))) with (IZR (i + Z.of_nat j) + 1) in * by (rewrite Nat2Z.inj_succ, !plus_IZR, succ_IZR; ring).
    apply H; [exists (i + Z.of_nat j)%Z; reflexivity | | lra | apply IH; lra]. apply Rle_ge, IZR_le. lia.
Qed.
Theorem typed_norm_of_zero {S : Space} (v : S) : v = vzero -> norm v = 0.
Proof. intros E. rewrite E. unfold norm. rewrite dot_zero. apply sqrt_0. Qed.
