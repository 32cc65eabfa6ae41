(* What whole statements need: vectors that are equal when nothing tells them apart, and the tactics of their steps. *)
From Coq Require Import Reals Lra Psatz ZArith.
Require Import Boundcheck Rules.
Open Scope R_scope.

(* vectors with the same inner products are the same: true of every real inner product space *)
Definition separated (S : Space) : Prop := forall x y : S, (forall z, dot x z = dot y z) -> x = y.

Ltac bw_vector := match goal with A : separated ?V |- _ = _ => apply A; let z := fresh "z" in intros z end;
  unfold vsub, vneg; repeat progress (rewrite ?dot_add, ?dot_scal, ?dot_zero); first [ring | lra | timeout 3 bc_field].
(* equal up to the normal form of arguments *)
Ltac bw_congruent := first [reflexivity | apply dot_sym | bw_vector | progress f_equal; bw_congruent
  | apply FunctionalExtensionality.functional_extensionality; let x := fresh "x" in intros x; cbv beta; bw_congruent ].
Ltac bw_equal := first [solve [bw_congruent] | ring | solve [bc_field] | progress f_equal; bw_equal
  | apply FunctionalExtensionality.functional_extensionality; let x := fresh "x" in intros x; cbv beta; bw_equal ].
Ltac bw_same := match goal with H : ?P |- ?Q => cut (P = Q); [let E := fresh in intros E; rewrite <- E; exact H | solve [bw_equal]] end.
Ltac bw_vectors := repeat match goal with H : ?x = ?y :> car _ |- _ => first [rewrite H in * | idtac]; clear H end; bw_vector.
Ltac bw_plain := cbv beta in *; first [assumption | reflexivity | lra | apply norm_nonneg].
Ltac bw_find := intros; match goal with H : _ |- _ => solve [apply H; first [assumption | lra]] end.
Ltac bw_rewrite := do 6 try match goal with H : ?a = ?b |- context [?a] => rewrite H end;
  first [reflexivity | lra | ring | solve [bc_field]].
Ltac bw_hard := first [bw_find | bw_equal | timeout 10 bw_vectors | timeout 10 bw_same | timeout 10 bw_rewrite | timeout 10 nra | timeout 20 bc_side].
Ltac bw_scalar := first [assumption | lra | apply Req_le; assumption].
Ltac bw_scalar_hard := first [timeout 10 bc_field | timeout 10 nra | timeout 20 bc_side].
Ltac bw_premise := first [assumption | lra | timeout 5 bc_field | timeout 5 nra | timeout 20 bc_side].
Ltac bw_apply t := first [apply t | eapply Req_le; apply t]; first [assumption | lra | apply Rle_ge, norm_nonneg | apply norm_nonneg | bw_equal].
Ltac bw_turn := repeat match goal with |- context [dot ?a ?b] => match goal with |- context [dot b a] =>
  tryif constr_eq a b then fail else rewrite (dot_sym _ a b) end end.
Ltac bw_expand := unfold vsub, vneg; rewrite ?Rpow_mult_distr, ?norm_sq, ?dot_add, ?dot_add_r, ?dot_scal, ?dot_scal_r, ?dot_zero, ?dot_zero_r; bw_turn.
Ltac bw_real := first [solve [bw_congruent] | ring | solve [rewrite ?rule_norm_scale; rewrite ?(Rabs_pos_eq _) by lra; first [solve [bw_congruent] | ring]] | solve [bw_expand; ring] | solve [bw_expand; bc_field] | bw_equal].
(* H up to the normal form of both sides *)
Ltac bw_sides H := match type of H with
  | _ <= _ => eapply Rle_trans; [apply Req_le | eapply Rle_trans; [exact H | apply Req_le]]; bw_real
  | ?a = ?b :> R => match goal with |- ?c = ?d => transitivity a; [bw_real | transitivity b; [exact H | bw_real]] end
  end.
Ltac bw_got H := first [exact H | lra | timeout 10 (bw_sides H) | match type of H with ?P => match goal with |- ?Q =>
  cut (P = Q); [let E := fresh in intros E; rewrite <- E; exact H | solve [timeout 8 bw_equal]] end end
  | rewrite ?dot_scal, ?dot_scal_r in *; first [lra | solve [bc_field]] ].
Tactic Notation "bw_from" constr(h) "by" tactic3(t) := intros; first [apply h; first [assumption | lra | t]
  | let H := fresh in pose proof h as H; bw_got H ].
Tactic Notation "bw_chain" hyp(H) "by" tactic3(t) := cbv beta in H; repeat match type of H with
  | ?A -> ?B => let P := fresh in assert (P : A); [ first [assumption | lra | bw_find | solve [intros; t]] | specialize (H P); clear P ] end.
Ltac bw_zero g := match goal with H : 0 = g |- _ => rewrite <- H; ring end.
Tactic Notation "bw_times" tactic3(t) := apply Rmult_le_pos; [first [solve [t] | timeout 10 bc_sgn | apply Rge_le; t] | lra].
