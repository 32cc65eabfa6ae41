(* Definitions and proved lemmas that the exported files of boundcheck use. Nothing is assumed here beyond what the
   standard library's reals rest on; `Print Assumptions` of any theorem shows that. Needs Coq >= 8.16 with coq-interval. *)
From Coq Require Import Reals Lra Psatz ZArith Lia.
From Coquelicot Require Import Coquelicot.
From Flocq Require Import Core.
From Interval Require Import Tactic.
Open Scope R_scope.

(* ------------------------------------------------------------------ the functions of claims, total *)

(* x ** y: exp (y ln x) for x > 0 and 0 for x <= 0; the files state 0 < x or 0 <= x wherever a claim needs it *)
Definition rpw (x y : R) : R := if Rle_dec x 0 then 0 else exp (y * ln x).
Definition rfloor (x : R) : R := IZR (Zfloor x).
(* (-1) ** x for a whole x: a power of a negative number -c is sgz x * rpw c x; the files state that x is whole *)
Definition sgz (x : R) : R := (-1) ^ Z.abs_nat (Zfloor x).
Definition rceil (x : R) : R := IZR (Zceil x).
Definition isint (x : R) : Prop := exists z : Z, x = IZR z.

(* x ** n for whole n and any x, 0 ** 0 = 1, where x may be negative; and when it is defined *)
Definition ipw (x n : R) : R := powerRZ x (Zfloor n).
Definition whole_ok (x n : R) : Prop := (isint n /\ 0 <= n) \/ (isint n /\ x <> 0).
(* when x ** y is defined: 0 ** y is 0 for y > 0 *)
Definition pow_ok (x y : R) : Prop := 0 < x \/ (x = 0 /\ 0 < y).
Lemma pow_ok_pos x y : 0 < x -> pow_ok x y.
Proof. left. assumption. Qed.
Lemma pow_ok_nonneg x y : 0 <= x -> 0 < y -> pow_ok x y.
Proof. intros [A | A] B; [left | right]; auto. Qed.
Lemma rpw_exp x y : 0 < x -> rpw x y = exp (y * ln x).
Proof. intros H. unfold rpw. destruct (Rle_dec x 0) as [A | A]. lra. reflexivity. Qed.
Lemma rpw_pos x y : 0 < x -> 0 < rpw x y.
Proof. intros H. rewrite rpw_exp by exact H. apply exp_pos. Qed.
Lemma rpw_nonneg x y : 0 <= rpw x y.
Proof. unfold rpw. destruct (Rle_dec x 0). lra. left. apply exp_pos. Qed.
Lemma rpw_zero y : rpw 0 y = 0.
Proof. unfold rpw. destruct (Rle_dec 0 0) as [A | A]. reflexivity. exfalso. apply A. lra. Qed.
Lemma ln_rpw x y : 0 < x -> ln (rpw x y) = y * ln x.
Proof. intros H. rewrite rpw_exp by exact H. apply ln_exp. Qed.
Lemma rpw_one x : 0 <= x -> rpw x 1 = x.
Proof.
  intros [H | H]. rewrite rpw_exp by exact H. rewrite Rmult_1_l. apply exp_ln. exact H.
  rewrite <- H. apply rpw_zero.
Qed.
Lemma rpw_base_one y : rpw 1 y = 1.
Proof. rewrite rpw_exp by lra. rewrite ln_1, Rmult_0_r. apply exp_0. Qed.
Lemma rpw_0_exponent x : 0 < x -> rpw x 0 = 1.
Proof. intros. rewrite rpw_exp by assumption. rewrite Rmult_0_l. apply exp_0. Qed.
Lemma rpw_plus x a b : 0 < x -> rpw x (a + b) = rpw x a * rpw x b.
Proof. intros. rewrite !rpw_exp by assumption. rewrite Rmult_plus_distr_r. apply exp_plus. Qed.
Lemma rpw_ge_1 x y : 1 <= x -> 0 <= y -> 1 <= rpw x y.
Proof.
  intros Hx Hy. rewrite rpw_exp by lra. rewrite <- exp_0.
  assert (0 <= ln x). { rewrite <- ln_1. destruct (Rle_lt_or_eq_dec 1 x Hx) as [A | A].
    left. apply ln_increasing; lra. rewrite <- A. lra. }
  assert (P : 0 <= y * ln x) by (apply Rmult_le_pos; assumption).
  destruct P as [A | A]. left. apply exp_increasing. exact A. rewrite <- A. lra.
Qed.
Lemma ln_le_0 x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros H [A | A]. left. apply ln_increasing; assumption. rewrite A. lra. Qed.
Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [A | A]. left. apply exp_increasing. exact A. rewrite A. lra. Qed.
Lemma rpw_le_base x y a : 0 < x -> x <= y -> 0 <= a -> rpw x a <= rpw y a.
Proof.
  intros. rewrite !rpw_exp by lra. apply exp_le. apply Rmult_le_compat_l. assumption. apply ln_le_0; assumption.
Qed.
Lemma rpw_le_1 x y : 0 <= x -> x <= 1 -> 0 <= y -> rpw x y <= 1.
Proof.
  intros [H | H] A B. rewrite <- (rpw_base_one y). apply rpw_le_base; lra. rewrite <- H, rpw_zero. lra.
Qed.
Lemma rpw_gt_1 x y : 1 < x -> 0 < y -> 1 < rpw x y.
Proof.
  intros. rewrite rpw_exp by lra. rewrite <- exp_0 at 1. apply exp_increasing. apply Rmult_lt_0_compat. assumption.
  rewrite <- ln_1. apply ln_increasing; lra.
Qed.
Lemma rpw_lt_1 x y : 0 < x -> x < 1 -> 0 < y -> rpw x y < 1.
Proof.
  intros. rewrite rpw_exp by lra. rewrite <- exp_0. apply exp_increasing.
  assert (ln x < 0) by (rewrite <- ln_1; apply ln_increasing; lra). nra.
Qed.
Lemma exp_gt_1 x : 0 < x -> 1 < exp x.
Proof. intros. rewrite <- exp_0. apply exp_increasing. assumption. Qed.
Lemma sqrt_gt_1 x : 1 < x -> 1 < sqrt x.
Proof. intros. rewrite <- sqrt_1. apply sqrt_lt_1_alt. lra. Qed.
Lemma strictly_above x : 1 < x -> 0 < - 1 + x.
Proof. intros. lra. Qed.
Lemma strictly_above' x : 1 < x -> 0 < x - 1.
Proof. intros. lra. Qed.
Lemma below_one x : x <= 1 -> - 1 + x <= 0.
Proof. intros. lra. Qed.
Lemma strictly_below x : x < 1 -> 0 < 1 - x.
Proof. intros. lra. Qed.
Lemma rpw_le_exp x a b : 1 <= x -> a <= b -> rpw x a <= rpw x b.
Proof.
  intros. rewrite !rpw_exp by lra. apply exp_le. apply Rmult_le_compat_r. rewrite <- ln_1. apply ln_le_0; lra. assumption.
Qed.
Lemma rpw_ge_1_small x y : 0 < x -> x <= 1 -> y <= 0 -> 1 <= rpw x y.
Proof.
  intros. rewrite rpw_exp by assumption. rewrite <- exp_0. apply exp_le.
  assert (ln x <= 0) by (rewrite <- ln_1; apply ln_le_0; assumption). nra.
Qed.
Lemma exp_ge_1 x : 0 <= x -> 1 <= exp x.
Proof. intros. rewrite <- exp_0. apply exp_le. assumption. Qed.
Lemma one_le_plus x : 0 <= x -> 1 <= 1 + x.
Proof. intros. lra. Qed.
Lemma le_over a b c : 0 < c -> a * c <= b -> a <= b / c.
Proof. intros. apply (Rmult_le_reg_r c). assumption. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. Qed.
Lemma lt_over a b c : 0 < c -> a * c < b -> a < b / c.
Proof. intros. apply (Rmult_lt_reg_r c). assumption. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. Qed.
Lemma over_le a b c : 0 < c -> b <= a * c -> b / c <= a.
Proof. intros. apply (Rmult_le_reg_r c). assumption. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. Qed.
Lemma over_lt a b c : 0 < c -> b < a * c -> b / c < a.
Proof. intros. apply (Rmult_lt_reg_r c). assumption. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. Qed.
Lemma ln_pos x : 1 < x -> 0 < ln x.
Proof. intros. rewrite <- ln_1. apply ln_increasing; lra. Qed.
Lemma ln_nonneg x : 1 <= x -> 0 <= ln x.
Proof. intros. rewrite <- ln_1. apply ln_le_0; lra. Qed.
Lemma ln_sqrt_half x : 0 < x -> ln (sqrt x) = / 2 * ln x.
Proof.
  intros H. assert (S : 0 < sqrt x) by (apply sqrt_lt_R0; exact H).
  assert (E : ln x = ln (sqrt x) + ln (sqrt x)).
  { rewrite <- ln_mult by exact S. f_equal. symmetry. apply sqrt_sqrt. lra. }
  rewrite E. lra.
Qed.
Lemma ln_pow_nat x n : 0 < x -> ln (x ^ n) = INR n * ln x.
Proof.
  intros H. induction n as [| n IH]. simpl. rewrite ln_1. lra.
  rewrite S_INR. simpl. rewrite ln_mult; [rewrite IH; lra | exact H | apply pow_lt; exact H].
Qed.
Lemma ln_div_pos x y : 0 < x -> 0 < y -> ln (x / y) = ln x - ln y.
Proof. intros. unfold Rdiv. rewrite ln_mult, ln_Rinv; try assumption. reflexivity. apply Rinv_0_lt_compat. assumption. Qed.
Lemma same_ln x y : 0 < x -> 0 < y -> ln x = ln y -> x = y.
Proof. intros. apply ln_inv; assumption. Qed.
Lemma Rabs_square x : Rabs x ^ 2 = x ^ 2.
Proof. rewrite <- !Rsqr_pow2. symmetry. apply Rsqr_abs. Qed.

(* ------------------------------------------------------------------ minimum, maximum, modulus, floor *)

Lemma abs_up x : x >= 0 -> Rabs x = x.
Proof. intros. apply Rabs_pos_eq. lra. Qed.
Lemma abs_down x : x <= 0 -> Rabs x = - x.
Proof. intros. rewrite Rabs_left1. reflexivity. assumption. Qed.
Lemma max_first x y : x >= y -> Rmax x y = x.
Proof. intros. apply Rmax_left. lra. Qed.
Lemma max_second x y : x <= y -> Rmax x y = y.
Proof. intros. apply Rmax_right. assumption. Qed.
Lemma min_first x y : x <= y -> Rmin x y = x.
Proof. intros. apply Rmin_left. assumption. Qed.
Lemma min_second x y : x >= y -> Rmin x y = y.
Proof. intros. apply Rmin_right. lra. Qed.
Lemma rfloor_le x : rfloor x <= x.
Proof. apply Zfloor_lb. Qed.
Lemma rfloor_gt x : rfloor x > x - 1.
Proof. unfold rfloor. pose proof (Zfloor_ub x). lra. Qed.
Lemma rceil_ge x : rceil x >= x.
Proof. unfold rceil. pose proof (Zceil_ub x). lra. Qed.
Lemma rceil_lt x : rceil x < x + 1.
Proof. unfold rceil. pose proof (Zceil_lb x). lra. Qed.
Lemma isint_floor x : isint (rfloor x).
Proof. eexists. reflexivity. Qed.
Lemma isint_ceil x : isint (rceil x).
Proof. eexists. reflexivity. Qed.
Lemma isint_IZR z : isint (IZR z).
Proof. eexists. reflexivity. Qed.
Lemma int_split x (k : Z) : isint x -> x <= IZR k \/ x >= IZR (k + 1).
Proof.
  intros [z E]. rewrite E. destruct (Z_le_gt_dec z k) as [A | A].
  left. apply IZR_le. exact A. right. apply Rle_ge. apply IZR_le. lia.
Qed.
Lemma int_above x (k : Z) : isint x -> x > IZR k -> x >= IZR (k + 1).
Proof. intros H A. destruct (int_split x k H). lra. assumption. Qed.
Lemma int_below x (k : Z) : isint x -> x < IZR k -> x <= IZR (k - 1).
Proof. intros H A. destruct (int_split x (k - 1) H) as [B | B]. exact B. replace (k - 1 + 1)%Z with k in B by lia. lra. Qed.

Lemma isint_plus x y : isint x -> isint y -> isint (x + y).
Proof. intros [m H] [n K]. exists (m + n)%Z. rewrite H, K, plus_IZR. reflexivity. Qed.
Lemma isint_minus x y : isint x -> isint y -> isint (x - y).
Proof. intros [m H] [n K]. exists (m - n)%Z. rewrite H, K, minus_IZR. reflexivity. Qed.
Lemma isint_mult x y : isint x -> isint y -> isint (x * y).
Proof. intros [m H] [n K]. exists (m * n)%Z. rewrite H, K, mult_IZR. reflexivity. Qed.
Lemma isint_opp x : isint x -> isint (- x).
Proof. intros [m H]. exists (- m)%Z. rewrite H, opp_IZR. reflexivity. Qed.
Lemma isint_pow x n : isint x -> isint (x ^ n).
Proof. intros H. induction n as [| n IH]. exists 1%Z. reflexivity. simpl. apply isint_mult; assumption. Qed.
Lemma floor_near n x : isint n -> n <= x < n + 1 -> rfloor x = n.
Proof. intros [z ->] H. unfold rfloor. rewrite (Zfloor_imp z x). reflexivity. rewrite plus_IZR. exact H. Qed.
Lemma ceil_near n x : isint n -> n - 1 < x <= n -> rceil x = n.
Proof. intros [z ->] H. unfold rceil. rewrite (Zceil_imp z x). reflexivity. rewrite minus_IZR. exact H. Qed.
Lemma sgz_cases x : sgz x = 1 \/ sgz x = -1.
Proof. unfold sgz. induction (Z.abs_nat (Zfloor x)) as [| n [IH | IH]]. left. reflexivity. right. simpl. lra. left. simpl. lra. Qed.
Lemma sgz_double z : sgz (IZR (2 * z)) = 1.
Proof. unfold sgz. rewrite Zfloor_IZR, Zabs2Nat.inj_mul. apply pow_1_even. Qed.
Lemma sgz_odd z : sgz (IZR (2 * z + 1)) = -1.
Proof.
  unfold sgz. rewrite Zfloor_IZR. destruct (Z_le_gt_dec 0 z) as [A | A].
  - replace (Z.abs_nat (2 * z + 1)) with (S (2 * Z.abs_nat z)) by lia. apply pow_1_odd.
  - replace (Z.abs_nat (2 * z + 1)) with (S (2 * Z.abs_nat (z + 1))) by lia. apply pow_1_odd.
Qed.
Lemma sgz_next x : isint x -> sgz (x + 1) = - sgz x.
Proof.
  intros [z ->]. rewrite <- plus_IZR. destruct (Z.Even_or_Odd z) as [[k ->] | [k ->]].
  - rewrite sgz_odd, sgz_double. ring.
  - replace (2 * k + 1 + 1)%Z with (2 * (k + 1))%Z by lia. rewrite sgz_odd, sgz_double. ring.
Qed.
Lemma sgz_0 : sgz 0 = 1.
Proof. exact (sgz_double 0). Qed.
Lemma sgz_1 : sgz 1 = -1.
Proof. exact (sgz_odd 0). Qed.
Lemma whole_above x : isint x -> x > -1 -> 0 <= x.
Proof. intros [m H] K. rewrite H in *. apply IZR_le. assert (m > -1)%Z by (apply Z.lt_gt, lt_IZR, Rgt_lt; exact K). lia. Qed.
Ltac bc_whole := first [assumption | apply isint_IZR | apply isint_floor | apply isint_ceil | apply isint_plus; bc_whole
  | apply isint_minus; bc_whole | apply isint_mult; bc_whole | apply isint_opp; bc_whole | apply isint_pow; bc_whole].

(* ------------------------------------------------------------------ whole powers of what may be negative *)

Lemma ipw_IZR x z : ipw x (IZR z) = powerRZ x z.
Proof. unfold ipw. rewrite Zfloor_IZR. reflexivity. Qed.
Lemma ipw_INR x n : ipw x (INR n) = x ^ n.
Proof. rewrite INR_IZR_INZ, ipw_IZR. symmetry. apply pow_powerRZ. Qed.
Lemma ipw_0 x : ipw x 0 = 1.
Proof. exact (ipw_INR x 0). Qed.
Lemma ipw_1 x : ipw x 1 = x.
Proof. rewrite <- (pow_1 x) at 2. exact (ipw_INR x 1). Qed.
Lemma ipw_number x p : ipw x (IZR (Zpos p)) = x ^ Pos.to_nat p.
Proof. rewrite ipw_IZR. reflexivity. Qed.
Lemma isint_nat n : isint n -> 0 <= n -> exists k, n = INR k.
Proof. intros [z ->] N. exists (Z.to_nat z). apply le_IZR in N. rewrite INR_IZR_INZ, Z2Nat.id by exact N. reflexivity. Qed.
Lemma ipw_add x a b : isint a -> isint b -> x <> 0 \/ (0 <= a /\ 0 <= b) -> ipw x (a + b) = ipw x a * ipw x b.
Proof.
  intros A B [X | [P Q]].
  - destruct A as [m ->], B as [n ->]. rewrite <- plus_IZR, !ipw_IZR. apply powerRZ_add. exact X.
  - destruct (isint_nat a A P) as [m ->], (isint_nat b B Q) as [n ->]. rewrite <- plus_INR, !ipw_INR. apply pow_add.
Qed.
Lemma ipw_opp x a : isint a -> x <> 0 -> ipw x (- a) = / ipw x a.
Proof.
  intros A X. apply (Rmult_eq_reg_r (ipw x a)).
  rewrite Rinv_l, <- ipw_add. replace (- a + a) with 0 by ring. apply ipw_0. apply isint_opp. exact A. exact A. left. exact X.
  destruct A as [m ->]. rewrite ipw_IZR. apply powerRZ_NOR. exact X. destruct A as [m ->]. rewrite ipw_IZR. apply powerRZ_NOR. exact X.
Qed.
Lemma ipw_sub x a b : isint a -> isint b -> x <> 0 -> ipw x (a - b) = ipw x a / ipw x b.
Proof. intros A B X. unfold Rminus. rewrite ipw_add, ipw_opp; try assumption. reflexivity. apply isint_opp. exact B. left. exact X. Qed.
Lemma ipw_times x a n : isint a -> x <> 0 \/ 0 <= a -> ipw x (INR n * a) = ipw x a ^ n.
Proof.
  intros A S. induction n as [| n IH]. simpl. rewrite Rmult_0_l. apply ipw_0.
  rewrite S_INR. replace ((INR n + 1) * a) with (a + INR n * a) by ring. rewrite ipw_add, IH. reflexivity. exact A.
  apply isint_mult. exists (Z.of_nat n). apply INR_IZR_INZ. exact A.
  destruct S as [S | S]. left. exact S. right. split. exact S. apply Rmult_le_pos. apply pos_INR. exact S.
Qed.
Lemma ipw_double x p a : isint a -> x <> 0 \/ 0 <= a -> ipw x (IZR (Zpos p) * a) = ipw x a ^ Pos.to_nat p.
Proof. intros A S. rewrite <- ipw_times by assumption. rewrite INR_IZR_INZ, positive_nat_Z. reflexivity. Qed.
Lemma ipw_not_0 x a : x <> 0 -> ipw x a <> 0.
Proof. intros X. apply powerRZ_NOR. exact X. Qed.
Lemma ipw_pos x a : 0 < x -> 0 < ipw x a.
Proof. intros X. apply powerRZ_lt. exact X. Qed.
Lemma ipw_nonneg x a : 0 <= x -> 0 <= ipw x a.
Proof. intros X. unfold ipw. destruct (Zfloor a); simpl. lra. apply pow_le. exact X. destruct X as [X | <-]. left. apply Rinv_0_lt_compat, pow_lt. exact X.
  destruct (Pos2Nat.is_succ p) as [n ->]. simpl. rewrite Rmult_0_l, Rinv_0. lra. Qed.
Lemma ipw_ge_1 x a : isint a -> 1 <= x -> 0 <= a -> 1 <= ipw x a.
Proof. intros A X N. destruct (isint_nat a A N) as [k ->]. rewrite ipw_INR. apply pow_R1_Rle. exact X. Qed.
Lemma ipw_le_1 x a : isint a -> 0 <= x -> x <= 1 -> 0 <= a -> ipw x a <= 1.
Proof.
  intros A X Y N. destruct (isint_nat a A N) as [k ->]. rewrite ipw_INR. induction k as [| k IH]. simpl. lra.
  assert (0 <= x ^ k) by (apply pow_le; exact X). simpl. assert (x ^ k <= 1) by (apply IH; [exists (Z.of_nat k); apply INR_IZR_INZ | apply pos_INR]). nra.
Qed.

(* ------------------------------------------------------------------ monotone in one variable *)

Lemma c_derive f x a : is_derive f x a -> continuity_pt f x.
Proof. intros D. apply derivable_continuous_pt. exists a. apply is_derive_Reals. exact D. Qed.
Lemma mean_value (g g' : R -> R) (a b : R) : a < b -> (forall t, a < t < b -> is_derive g t (g' t)) ->
  (forall t, a <= t <= b -> continuity_pt g t) -> exists c, a < c < b /\ g b - g a = g' c * (b - a).
Proof.
  intros L D C.
  assert (P : forall c, a < c < b -> derivable_pt g c).
  { intros c I. exists (g' c). apply is_derive_Reals. apply D. exact I. }
  destruct (MVT g id a b P (fun c _ => derivable_pt_id c) L C) as [c [I E]].
  - intros c I. apply derivable_continuous_pt. apply derivable_pt_id.
  - exists c. split. exact I. rewrite derive_pt_id in E. unfold id in E.
    rewrite (derive_pt_eq_0 g c (g' c) (P c I)) in E. lra. apply is_derive_Reals. apply D. exact I.
Qed.
(* the sign S of the derivative g' at a mean place *)
Ltac bc_by_mean g g' a b D C S := let c := fresh in let I := fresh in
  destruct (mean_value g g' a b ltac:(lra) D C) as [c [I ?]]; specialize (S c ltac:(lra)); nra.
(* with a corner allowed at the ends: continuous on [a, b], differentiable inside *)
Lemma rising_open (g g' : R -> R) (a b : R) : a <= b -> (forall t, a < t < b -> is_derive g t (g' t)) ->
  (forall t, a <= t <= b -> continuity_pt g t) -> (forall t, a < t <= b -> 0 <= g' t) -> g a <= g b.
Proof. intros [L | <-] D C S; [bc_by_mean g g' a b D C S | lra]. Qed.
Lemma rising_open_strictly (g g' : R -> R) (a b : R) : a < b -> (forall t, a < t < b -> is_derive g t (g' t)) ->
  (forall t, a <= t <= b -> continuity_pt g t) -> (forall t, a < t <= b -> 0 < g' t) -> g a < g b.
Proof. intros L D C S. bc_by_mean g g' a b D C S. Qed.
Lemma falling_open (g g' : R -> R) (a b : R) : a <= b -> (forall t, a < t < b -> is_derive g t (g' t)) ->
  (forall t, a <= t <= b -> continuity_pt g t) -> (forall t, a <= t < b -> 0 <= - g' t) -> g b <= g a.
Proof. intros [L | <-] D C S; [bc_by_mean g g' a b D C S | lra]. Qed.
Lemma falling_open_strictly (g g' : R -> R) (a b : R) : a < b -> (forall t, a < t < b -> is_derive g t (g' t)) ->
  (forall t, a <= t <= b -> continuity_pt g t) -> (forall t, a <= t < b -> 0 < - g' t) -> g b < g a.
Proof. intros L D C S. bc_by_mean g g' a b D C S. Qed.
(* differentiable on all of [a, b] *)
Ltac bc_by_open h D S := apply h; [assumption | intros; apply D; lra | intros; eapply c_derive; apply D; lra | exact S].
Lemma rising (g g' : R -> R) (a b : R) :
  a <= b -> (forall t, a <= t <= b -> is_derive g t (g' t)) -> (forall t, a < t <= b -> 0 <= g' t) -> g a <= g b.
Proof. intros L D S. bc_by_open (rising_open g g' a b) D S. Qed.
Lemma rising_strictly (g g' : R -> R) (a b : R) :
  a < b -> (forall t, a <= t <= b -> is_derive g t (g' t)) -> (forall t, a < t <= b -> 0 < g' t) -> g a < g b.
Proof. intros L D S. bc_by_open (rising_open_strictly g g' a b) D S. Qed.
Lemma falling (g g' : R -> R) (a b : R) :
  a <= b -> (forall t, a <= t <= b -> is_derive g t (g' t)) -> (forall t, a <= t < b -> 0 <= - g' t) -> g b <= g a.
Proof. intros L D S. bc_by_open (falling_open g g' a b) D S. Qed.
Lemma falling_strictly (g g' : R -> R) (a b : R) :
  a < b -> (forall t, a <= t <= b -> is_derive g t (g' t)) -> (forall t, a <= t < b -> 0 < - g' t) -> g b < g a.
Proof. intros L D S. bc_by_open (falling_open_strictly g g' a b) D S. Qed.
(* a hypothesis Y (or the goal) that a number lies in a ball, as a bound of a modulus *)
Ltac bc_ball Y := unfold ball in Y; simpl in Y; unfold AbsRing_ball, abs, minus, plus, opp in Y; simpl in Y.
Ltac bc_ball_goal := unfold ball; simpl; unfold AbsRing_ball, abs, minus, plus, opp; simpl.
Lemma is_derive_rpw (x y : R) : 0 < x -> is_derive (fun t => rpw t y) x (y * rpw x (y - 1)).
Proof.
  intros H. apply (is_derive_ext_loc (fun t => exp (y * ln t))).
  - exists (mkposreal x H). intros t B. rewrite rpw_exp. reflexivity.
    bc_ball B. apply Rabs_def2 in B. lra.
  - replace (y * rpw x (y - 1)) with (y * / x * exp (y * ln x)).
    + auto_derive. exact H. field. lra.
    + rewrite rpw_exp by exact H. replace ((y - 1) * ln x) with (y * ln x + - ln x) by ring.
      rewrite exp_plus, exp_Ropp, exp_ln by exact H. field. lra.
Qed.

(* derivatives by the shape of the formula *)
Lemma d_eq (f : R -> R) (x a b : R) : is_derive f x a -> a = b -> is_derive f x b.
Proof. intros H E. rewrite <- E. exact H. Qed.
Lemma d_const (c x : R) : is_derive (fun _ : R => c) x 0.
Proof. apply is_derive_Reals. apply derivable_pt_lim_const. Qed.
Lemma d_id (x : R) : is_derive (fun t : R => t) x 1.
Proof. apply is_derive_Reals. apply derivable_pt_lim_id. Qed.
Lemma d_plus (f g : R -> R) (x a b : R) : is_derive f x a -> is_derive g x b -> is_derive (fun t => f t + g t) x (a + b).
Proof. rewrite !is_derive_Reals. intros. apply derivable_pt_lim_plus; assumption. Qed.
Lemma d_minus (f g : R -> R) (x a b : R) : is_derive f x a -> is_derive g x b -> is_derive (fun t => f t - g t) x (a - b).
Proof. rewrite !is_derive_Reals. intros. apply derivable_pt_lim_minus; assumption. Qed.
Lemma d_opp (f : R -> R) (x a : R) : is_derive f x a -> is_derive (fun t => - f t) x (- a).
Proof. rewrite !is_derive_Reals. intros. apply derivable_pt_lim_opp; assumption. Qed.
Lemma d_mult (f g : R -> R) (x a b : R) :
  is_derive f x a -> is_derive g x b -> is_derive (fun t => f t * g t) x (a * g x + f x * b).
Proof. rewrite !is_derive_Reals. intros. apply derivable_pt_lim_mult; assumption. Qed.
Lemma d_comp (f g : R -> R) (x a b : R) : is_derive f x a -> is_derive g (f x) b -> is_derive (fun t => g (f t)) x (b * a).
Proof. rewrite !is_derive_Reals. intros. apply (derivable_pt_lim_comp f g); assumption. Qed.
Lemma d_inv_id (x : R) : x <> 0 -> is_derive (fun t : R => / t) x (- (1 / x ^ 2)).
Proof. intros. auto_derive. assumption. field. assumption. Qed.
Lemma d_inv (f : R -> R) (x a : R) : is_derive f x a -> f x <> 0 -> is_derive (fun t => / f t) x (- (1 / f x ^ 2) * a).
Proof. intros. apply (d_comp f Rinv); [assumption | apply d_inv_id; assumption]. Qed.
Lemma d_div (f g : R -> R) (x a b : R) :
  is_derive f x a -> is_derive g x b -> g x <> 0 -> is_derive (fun t => f t / g t) x ((a * g x - f x * b) / g x ^ 2).
Proof.
  intros F G N. apply (d_eq _ _ (a * / g x + f x * (- (1 / g x ^ 2) * b))).
  apply (d_mult f (fun t => / g t)). assumption. apply d_inv; assumption. field. assumption.
Qed.
Lemma d_pow (f : R -> R) (x a : R) n : is_derive f x a -> is_derive (fun t => f t ^ n) x (INR n * f x ^ Nat.pred n * a).
Proof.
  intros. apply (d_comp f (fun u => u ^ n)). assumption. apply is_derive_Reals. apply derivable_pt_lim_pow.
Qed.
Lemma d_exp (f : R -> R) (x a : R) : is_derive f x a -> is_derive (fun t => exp (f t)) x (exp (f x) * a).
Proof. intros. apply (d_comp f exp). assumption. apply is_derive_Reals. apply derivable_pt_lim_exp. Qed.
Lemma d_ln (f : R -> R) (x a : R) : is_derive f x a -> 0 < f x -> is_derive (fun t => ln (f t)) x (/ f x * a).
Proof. intros. apply (d_comp f ln). assumption. apply is_derive_Reals. apply derivable_pt_lim_ln. assumption. Qed.
Lemma d_sqrt (f : R -> R) (x a : R) : is_derive f x a -> 0 < f x -> is_derive (fun t => sqrt (f t)) x (/ (2 * sqrt (f x)) * a).
Proof. intros. apply (d_comp f sqrt). assumption. apply is_derive_Reals. apply derivable_pt_lim_sqrt. assumption. Qed.
Lemma d_rpw (f : R -> R) (x a y : R) :
  is_derive f x a -> 0 < f x -> is_derive (fun t => rpw (f t) y) x (y * rpw (f x) (y - 1) * a).
Proof. intros. apply (d_comp f (fun u => rpw u y)). assumption. apply is_derive_rpw. assumption. Qed.
Lemma d_base (f : R -> R) (x a b : R) :
  is_derive f x a -> 0 < b -> is_derive (fun t => rpw b (f t)) x (rpw b (f x) * ln b * a).
Proof.
  intros F B. apply (is_derive_ext (fun t => exp (f t * ln b))). intros t. symmetry. apply rpw_exp. exact B.
  apply (d_eq _ _ (exp (f x * ln b) * (a * ln b + f x * 0))).
  apply (d_exp (fun t => f t * ln b)). apply (d_mult f (fun _ => ln b)). assumption. apply d_const. rewrite rpw_exp by exact B. ring.
Qed.
Lemma d_sin (f : R -> R) (x a : R) : is_derive f x a -> is_derive (fun t => sin (f t)) x (cos (f x) * a).
Proof. intros. apply (d_comp f sin). assumption. apply is_derive_Reals. apply derivable_pt_lim_sin. Qed.
Lemma d_cos (f : R -> R) (x a : R) : is_derive f x a -> is_derive (fun t => cos (f t)) x (- sin (f x) * a).
Proof. intros. apply (d_comp f cos). assumption. apply is_derive_Reals. apply derivable_pt_lim_cos. Qed.
Lemma d_tan (f : R -> R) (x a : R) : is_derive f x a -> cos (f x) <> 0 -> is_derive (fun t => tan (f t)) x ((1 + tan (f x) ^ 2) * a).
Proof. intros. apply (d_comp f tan). assumption. eapply d_eq. apply is_derive_tan. assumption. ring. Qed.
Lemma d_atan (f : R -> R) (x a : R) : is_derive f x a -> is_derive (fun t => atan (f t)) x (/ (1 + f x ^ 2) * a).
Proof.
  intros. apply (d_comp f atan). assumption. auto_derive. exact I. unfold Rsqr. field. pose proof (pow2_ge_0 (f x)). lra.
Qed.
Lemma d_sinh (f : R -> R) (x a : R) : is_derive f x a -> is_derive (fun t => sinh (f t)) x (cosh (f x) * a).
Proof. intros. apply (d_comp f sinh). assumption. apply is_derive_Reals. apply derivable_pt_lim_sinh. Qed.
Lemma d_cosh (f : R -> R) (x a : R) : is_derive f x a -> is_derive (fun t => cosh (f t)) x (sinh (f x) * a).
Proof. intros. apply (d_comp f cosh). assumption. apply is_derive_Reals. apply derivable_pt_lim_cosh. Qed.
Lemma c_const (c x : R) : continuity_pt (fun _ : R => c) x.
Proof. apply continuity_pt_const. intros u v. reflexivity. Qed.
Lemma c_id (x : R) : continuity_pt (fun t : R => t) x.
Proof. apply derivable_continuous_pt. apply derivable_pt_id. Qed.
Lemma c_plus f g x : continuity_pt f x -> continuity_pt g x -> continuity_pt (fun t => f t + g t) x.
Proof. apply continuity_pt_plus. Qed.
Lemma c_minus f g x : continuity_pt f x -> continuity_pt g x -> continuity_pt (fun t => f t - g t) x.
Proof. apply continuity_pt_minus. Qed.
Lemma c_opp f x : continuity_pt f x -> continuity_pt (fun t => - f t) x.
Proof. apply continuity_pt_opp. Qed.
Lemma c_mult f g x : continuity_pt f x -> continuity_pt g x -> continuity_pt (fun t => f t * g t) x.
Proof. apply continuity_pt_mult. Qed.
Lemma c_inv f x : continuity_pt f x -> f x <> 0 -> continuity_pt (fun t => / f t) x.
Proof. apply continuity_pt_inv. Qed.
Lemma c_div f g x : continuity_pt f x -> continuity_pt g x -> g x <> 0 -> continuity_pt (fun t => f t / g t) x.
Proof. intros F G N. apply c_mult. exact F. apply c_inv; assumption. Qed.
Lemma c_pow f x n : continuity_pt f x -> continuity_pt (fun t => f t ^ n) x.
Proof. intros F. induction n as [| n IH]. change (continuity_pt (fun _ => 1) x). apply c_const.
  change (continuity_pt (fun t => f t * f t ^ n) x). apply c_mult; assumption. Qed.
Lemma c_comp f g x : continuity_pt f x -> continuity_pt g (f x) -> continuity_pt (fun t => g (f t)) x.
Proof. apply (continuity_pt_comp f g). Qed.
Lemma c_sqrt f x : continuity_pt f x -> 0 <= f x -> continuity_pt (fun t => sqrt (f t)) x.
Proof. intros F N. apply (c_comp f sqrt). exact F. apply continuity_pt_sqrt. exact N. Qed.
Lemma c_exp f x : continuity_pt f x -> continuity_pt (fun t => exp (f t)) x.
Proof. intros F. apply (c_comp f exp). exact F. apply derivable_continuous_pt. apply derivable_pt_exp. Qed.
Lemma c_sin f x : continuity_pt f x -> continuity_pt (fun t => sin (f t)) x.
Proof. intros F. apply (c_comp f sin). exact F. apply continuity_sin. Qed.
Lemma c_cos f x : continuity_pt f x -> continuity_pt (fun t => cos (f t)) x.
Proof. intros F. apply (c_comp f cos). exact F. apply continuity_cos. Qed.
Lemma c_atan f x : continuity_pt f x -> continuity_pt (fun t => atan (f t)) x.
Proof. intros F. apply (c_comp f atan). exact F. apply derivable_continuous_pt. apply derivable_pt_atan. Qed.
(* a power with a positive exponent is continuous at 0, too *)
Lemma rpw_at_0 y : 0 < y -> continuity_pt (fun t => rpw t y) 0.
Proof.
  intros H e E. exists (exp (ln e / y)). split. apply exp_pos.
  intros t [_ D]. unfold dist in *. simpl in *. unfold R_dist in *. rewrite rpw_zero, Rminus_0_r in *.
  rewrite Rabs_pos_eq by apply rpw_nonneg. destruct (Rle_or_lt t 0) as [L | L].
  - unfold rpw. destruct (Rle_dec t 0); lra.
  - rewrite Rabs_pos_eq in D by lra. rewrite rpw_exp by exact L. rewrite <- (exp_ln e E). apply exp_increasing.
    assert (K : ln t < ln e / y). { rewrite <- (ln_exp (ln e / y)). apply ln_increasing; assumption. }
    apply (Rmult_lt_compat_l y) in K; [| exact H]. replace (y * (ln e / y)) with (ln e) in K by (field; lra). exact K.
Qed.
Lemma c_rpw_corner f x y : continuity_pt f x -> 0 <= f x -> 0 < y -> continuity_pt (fun t => rpw (f t) y) x.
Proof.
  intros F N H. apply (c_comp f (fun u => rpw u y)). exact F. destruct N as [P | Z].
  - eapply c_derive. apply is_derive_rpw. exact P.
  - rewrite <- Z. apply rpw_at_0. exact H.
Qed.
Lemma c_ln f x : continuity_pt f x -> 0 < f x -> continuity_pt (fun t => ln (f t)) x.
Proof. intros F N. apply (c_comp f ln). exact F. apply (c_derive ln (f x) (/ f x)). apply is_derive_Reals. apply derivable_pt_lim_ln. exact N. Qed.
Lemma c_rpw f x y : continuity_pt f x -> 0 < f x -> continuity_pt (fun t => rpw (f t) y) x.
Proof. intros F N. apply (c_comp f (fun u => rpw u y)). exact F. eapply c_derive. apply is_derive_rpw. exact N. Qed.
Lemma c_abs f x : continuity_pt f x -> continuity_pt (fun t => Rabs (f t)) x.
Proof. intros F. apply (c_comp f Rabs). exact F. apply Rcontinuity_abs. Qed.
Lemma c_same f g x : (forall t, g t = f t) -> continuity_pt f x -> continuity_pt g x.
Proof. intros E F. apply (continuity_pt_ext f). intros t. symmetry. apply E. exact F. Qed.
Lemma c_max f g x : continuity_pt f x -> continuity_pt g x -> continuity_pt (fun t => Rmax (f t) (g t)) x.
Proof.
  intros F G. apply (c_same (fun t => / 2 * (f t + g t + Rabs (f t - g t)))).
  - intros t. destruct (Rle_or_lt (f t) (g t)) as [L | L]; [rewrite Rmax_right, Rabs_left1 by lra | rewrite Rmax_left, Rabs_pos_eq by lra]; field.
  - apply c_mult. apply c_const. apply c_plus. apply c_plus; assumption. apply (c_abs (fun t => f t - g t)). apply c_minus; assumption.
Qed.
Lemma c_min f g x : continuity_pt f x -> continuity_pt g x -> continuity_pt (fun t => Rmin (f t) (g t)) x.
Proof.
  intros F G. apply (c_same (fun t => / 2 * (f t + g t - Rabs (f t - g t)))).
  - intros t. destruct (Rle_or_lt (f t) (g t)) as [L | L]; [rewrite Rmin_left, Rabs_left1 by lra | rewrite Rmin_right, Rabs_pos_eq by lra]; field.
  - apply c_mult. apply c_const. apply c_minus. apply c_plus; assumption. apply (c_abs (fun t => f t - g t)). apply c_minus; assumption.
Qed.
Lemma c_base f x b : continuity_pt f x -> 0 < b -> continuity_pt (fun t => rpw b (f t)) x.
Proof.
  intros F B. apply (c_same (fun t => exp (f t * ln b))). intros t. apply rpw_exp. exact B.
  apply (c_exp (fun t => f t * ln b)). apply (c_mult f (fun _ => ln b)). exact F. apply c_const.
Qed.
Lemma c_tan f x : continuity_pt f x -> cos (f x) <> 0 -> continuity_pt (fun t => tan (f t)) x.
Proof. intros F N. unfold tan. apply (c_div (fun t => sin (f t)) (fun t => cos (f t))). apply c_sin. exact F. apply c_cos. exact F. exact N. Qed.
Lemma c_sinh f x : continuity_pt f x -> continuity_pt (fun t => sinh (f t)) x.
Proof. intros F. apply (c_comp f sinh). exact F. apply derivable_continuous_pt. apply derivable_pt_sinh. Qed.
Lemma c_cosh f x : continuity_pt f x -> continuity_pt (fun t => cosh (f t)) x.
Proof. intros F. apply (c_comp f cosh). exact F. apply derivable_continuous_pt. apply derivable_pt_cosh. Qed.
Ltac bc_nonnegative := cbv beta; lra.
Ltac c_special := fail.
Ltac d_special := fail.
Ltac c_find :=
  lazymatch goal with
  | |- continuity_pt (fun _ : R => ?c) _ => apply c_const
  | |- continuity_pt (fun t : R => t) _ => apply c_id
  | |- continuity_pt (fun t : R => @?f t + @?g t) _ => apply (c_plus f g); c_find
  | |- continuity_pt (fun t : R => @?f t - @?g t) _ => apply (c_minus f g); c_find
  | |- continuity_pt (fun t : R => - @?f t) _ => apply (c_opp f); c_find
  | |- continuity_pt (fun t : R => @?f t * @?g t) _ => apply (c_mult f g); c_find
  | |- continuity_pt (fun t : R => @?f t / @?g t) _ => apply (c_div f g); [c_find | c_find | idtac]
  | |- continuity_pt (fun t : R => / @?f t) _ => apply (c_inv f); [c_find | idtac]
  | |- continuity_pt (fun t : R => (@?f t) ^ ?n) _ => apply (c_pow f); c_find
  | |- continuity_pt (fun t : R => sqrt (@?f t)) _ => apply (c_sqrt f); [c_find | idtac]
  | |- continuity_pt (fun t : R => exp (@?f t)) _ => apply (c_exp f); c_find
  | |- continuity_pt (fun t : R => ln (@?f t)) _ => apply (c_ln f); [c_find | idtac]
  | |- continuity_pt (fun t : R => Rabs (@?f t)) _ => apply (c_abs f); c_find
  | |- continuity_pt (fun t : R => Rmax (@?f t) (@?g t)) _ => apply (c_max f g); c_find
  | |- continuity_pt (fun t : R => Rmin (@?f t) (@?g t)) _ => apply (c_min f g); c_find
  | |- continuity_pt (fun t : R => tan (@?f t)) _ => apply (c_tan f); [c_find | idtac]
  | |- continuity_pt (fun t : R => sinh (@?f t)) _ => apply (c_sinh f); c_find
  | |- continuity_pt (fun t : R => cosh (@?f t)) _ => apply (c_cosh f); c_find
  | |- continuity_pt (fun t : R => rpw (@?f t) (@?g t)) _ => lazymatch f with
    | (fun _ : R => ?b) => apply (c_base g); [c_find | idtac]
    | _ => first [apply (c_rpw_corner f); [c_find | bc_nonnegative | bc_nonnegative] | apply (c_rpw f); [c_find | idtac]]
    end
  | |- continuity_pt (fun t : R => sin (@?f t)) _ => apply (c_sin f); c_find
  | |- continuity_pt (fun t : R => cos (@?f t)) _ => apply (c_cos f); c_find
  | |- continuity_pt (fun t : R => atan (@?f t)) _ => apply (c_atan f); c_find
  | |- continuity_pt (fun t : R => ?F t) _ => match goal with D : forall t : R, _ -> is_derive F t _ |- _ => eapply c_derive; apply D; first [lra | split; lra] | _ => c_special end
  | _ => c_special
  end.
Ltac d_find :=
  lazymatch goal with
  | |- is_derive (fun _ : R => ?c) _ _ => apply d_const
  | |- is_derive (fun t : R => t) _ _ => apply d_id
  | |- is_derive (fun t : R => @?f t + @?g t) _ _ => apply (d_plus f g); d_find
  | |- is_derive (fun t : R => @?f t - @?g t) _ _ => apply (d_minus f g); d_find
  | |- is_derive (fun t : R => - @?f t) _ _ => apply (d_opp f); d_find
  | |- is_derive (fun t : R => @?f t * @?g t) _ _ => apply (d_mult f g); d_find
  | |- is_derive (fun t : R => @?f t / @?g t) _ _ => apply (d_div f g); [d_find | d_find | idtac]
  | |- is_derive (fun t : R => / @?f t) _ _ => apply (d_inv f); [d_find | idtac]
  | |- is_derive (fun t : R => (@?f t) ^ ?n) _ _ => eapply (d_pow f _ _ n); d_find
  | |- is_derive (fun t : R => exp (@?f t)) _ _ => apply (d_exp f); d_find
  | |- is_derive (fun t : R => sin (@?f t)) _ _ => apply (d_sin f); d_find
  | |- is_derive (fun t : R => cos (@?f t)) _ _ => apply (d_cos f); d_find
  | |- is_derive (fun t : R => tan (@?f t)) _ _ => apply (d_tan f); [d_find | idtac]
  | |- is_derive (fun t : R => atan (@?f t)) _ _ => apply (d_atan f); d_find
  | |- is_derive (fun t : R => sinh (@?f t)) _ _ => apply (d_sinh f); d_find
  | |- is_derive (fun t : R => cosh (@?f t)) _ _ => apply (d_cosh f); d_find
  | |- is_derive (fun t : R => ln (@?f t)) _ _ => apply (d_ln f); [d_find | idtac]
  | |- is_derive (fun t : R => sqrt (@?f t)) _ _ => apply (d_sqrt f); [d_find | idtac]
  | |- is_derive (fun t : R => rpw (@?f t) (@?g t)) _ _ => lazymatch f with
    | (fun _ : R => ?b) => apply (d_base g); [d_find | idtac]
    | _ => apply (d_rpw f); [d_find | idtac]
    end
  | |- is_derive (fun t : R => ?F t) _ _ => match goal with D : forall t : R, _ -> is_derive F t _ |- _ => apply D; first [lra | split; lra] | _ => d_special end
  | _ => d_special
  end.

(* ------------------------------------------------------------------ tactics *)

Lemma one_lt_div a b : 0 < b -> b < a -> 1 < a / b.
Proof. intros. apply (Rmult_lt_reg_r b). assumption. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. Qed.
Lemma one_le_div a b : 0 < b -> b <= a -> 1 <= a / b.
Proof. intros. apply (Rmult_le_reg_r b). assumption. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. Qed.
Lemma one_le_mult a b : 1 <= a -> 1 <= b -> 1 <= a * b.
Proof. intros. nra. Qed.
Lemma big_over a b : 0 < b -> b <= 1 -> 1 < a -> 1 < a / b.
Proof. intros P B A. apply one_lt_div; lra. Qed.
Lemma big_times a b : 1 < a -> 1 < b -> 1 < a * b.
Proof. intros. nra. Qed.
Lemma big_plus a b : 0 <= a -> 1 < b -> 1 < a + b.
Proof. intros. lra. Qed.
Lemma one_le_sqrt a : 1 <= a -> 1 <= sqrt a.
Proof. intros. rewrite <- sqrt_1. apply sqrt_le_1_alt. assumption. Qed.

Lemma exp_below x : exp x < 1 -> x < 0.
Proof. intros H. apply exp_lt_inv. rewrite exp_0. exact H. Qed.
Lemma exp_above x : exp x >= 1 -> 0 <= x.
Proof. intros H. destruct (Rlt_or_le x 0) as [L | L]; [| exact L]. apply exp_increasing in L. rewrite exp_0 in L. lra. Qed.
Lemma exp_under x : x < 0 -> exp x < 1.
Proof. intros H. rewrite <- exp_0. apply exp_increasing. exact H. Qed.
Lemma exp_under_le x : x <= 0 -> exp x <= 1.
Proof. intros H. rewrite <- exp_0. apply exp_le. exact H. Qed.
Lemma ln_nonpos x : 0 < x -> x <= 1 -> ln x <= 0.
Proof. intros. rewrite <- ln_1. apply ln_le_0; assumption. Qed.
Lemma ln_neg x : 0 < x -> x < 1 -> ln x < 0.
Proof. intros. rewrite <- ln_1. apply ln_increasing; assumption. Qed.
Lemma sub_pos a b : 0 < a -> b <= 0 -> 0 < a - b.
Proof. intros. lra. Qed.
Lemma sub_nonneg a b : 0 <= a -> b <= 0 -> 0 <= a - b.
Proof. intros. lra. Qed.
Lemma over_negative a b : b < 0 -> 0 <= a -> a / b <= 0.
Proof.
  intros. replace (a / b) with (- (a / - b)) by (field; lra). apply Ropp_le_cancel. rewrite Ropp_0, Ropp_involutive.
  apply le_over; lra.
Qed.
Lemma ln_below x : 0 < x -> ln x <= x - 1.
Proof.
  intros H. rewrite <- (exp_ln x H) at 2. set (y := ln x). pose proof (exp_ineq1_le y). lra.
Qed.
Lemma above_one x : 1 <= x -> 0 <= - 1 + x.
Proof. intros. lra. Qed.
Lemma above_one' x : 1 <= x -> 0 <= x - 1.
Proof. intros. lra. Qed.
Lemma rpw_half x : 0 <= x -> rpw x (1 / 2) = sqrt x.
Proof.
  intros [H | H]. rewrite rpw_exp by exact H. apply same_ln. apply exp_pos. apply sqrt_lt_R0. exact H.
  rewrite ln_exp, ln_sqrt_half by exact H. lra. rewrite <- H, rpw_zero, sqrt_0. reflexivity.
Qed.
Lemma even_power a k : 0 <= a ^ (k + k).
Proof. rewrite pow_add. apply Rle_0_sqr. Qed.
Lemma even_power_pos a k : a <> 0 -> 0 < a ^ (k + k).
Proof. intros H. rewrite pow_add. apply Rlt_0_sqr. apply pow_nonzero. exact H. Qed.
Lemma both_nonpos a b : a <= 0 -> b <= 0 -> 0 <= a * b.
Proof. intros. nra. Qed.
Lemma neg_nonpos x : 0 <= x -> - x <= 0.
Proof. intros. lra. Qed.
Lemma mult_nonpos_r a b : 0 <= a -> b <= 0 -> a * b <= 0.
Proof. intros. nra. Qed.
Lemma mult_nonpos_l a b : a <= 0 -> 0 <= b -> a * b <= 0.
Proof. intros. nra. Qed.
Lemma mult_neg_r a b : 0 < a -> b < 0 -> a * b < 0.
Proof. intros. nra. Qed.
Lemma mult_neg_l a b : a < 0 -> 0 < b -> a * b < 0.
Proof. intros. nra. Qed.
Lemma one_power_neg a : a < 0 -> a ^ 1 < 0.
Proof. intros. lra. Qed.
Lemma over_nonpos a b : 0 < b -> a <= 0 -> a / b <= 0.
Proof. intros. apply over_le. assumption. lra. Qed.

(* 0 < e, 0 <= e, e <> 0 by the shape of e *)
Ltac bc_leaf := first [assumption | lra].
(* an angle between multiples of PI *)
Lemma sin_below_le a : - PI <= a -> a <= 0 -> sin a <= 0.
Proof. intros A B. rewrite <- (Ropp_involutive a), sin_neg. pose proof (sin_ge_0 (- a) ltac:(lra) ltac:(lra)). lra. Qed.
Lemma sin_below a : - PI < a -> a < 0 -> sin a < 0.
Proof. intros A B. rewrite <- (Ropp_involutive a), sin_neg. pose proof (sin_gt_0 (- a) ltac:(lra) ltac:(lra)). lra. Qed.
Lemma atan_pos a : 0 < a -> 0 < atan a.
Proof. intros A. rewrite <- atan_0. apply atan_increasing. exact A. Qed.
Lemma atan_nonneg a : 0 <= a -> 0 <= atan a.
Proof. intros [A | <-]. left. apply atan_pos. exact A. rewrite atan_0. lra. Qed.
Ltac bc_by_pi := pose proof PI2_3_2; lra.
(* hooks for functions that are defined below *)
Ltac bc_special_sign := fail.
Ltac bc_special_value := fail.
Ltac bc_special_number := idtac.
Ltac bc_special_last := fail.
Ltac bc_special_box := idtac.
Ltac bc_sgn :=
  lazymatch goal with
  | |- ?a > 0 => change (0 < a); bc_sgn
  | |- ?a >= 0 => apply Rle_ge; bc_sgn
  | |- ipw _ _ <> 0 => first [assumption | apply ipw_not_0; bc_sgn]
  | |- ?a ^ _ <> 0 => first [assumption | solve [apply pow_nonzero; bc_sgn] | apply Rgt_not_eq; bc_sgn | apply Rlt_not_eq; bc_leaf]
  | |- ?a <> 0 => first [assumption | apply Rgt_not_eq; bc_sgn | apply Rlt_not_eq; bc_leaf | apply Rmult_integral_contrapositive_currified; bc_sgn]
  | |- whole_ok _ _ => first [assumption | left; split; [bc_whole | first [assumption | lra]] | right; split; [bc_whole | first [assumption | lra]]
      | left; split; [bc_whole | bc_sgn] | right; split; [bc_whole | bc_sgn]]
  | |- 0 <= ipw _ _ => first [assumption | apply ipw_nonneg; bc_sgn]
  | |- 0 < ipw _ _ => first [assumption | apply ipw_pos; bc_sgn]
  | |- pow_ok _ _ => first [assumption | apply pow_ok_pos; bc_sgn | apply pow_ok_nonneg; bc_sgn]
  | |- 0 < atan _ => first [assumption | apply atan_pos; bc_sgn]
  | |- 0 <= atan _ => first [assumption | apply atan_nonneg; bc_sgn]
  | |- 0 < cosh _ => unfold cosh; bc_sgn
  | |- 0 <= cosh _ => unfold cosh; bc_sgn
  | |- 0 < sin _ => first [assumption | apply sin_gt_0; bc_by_pi | bc_last]
  | |- 0 <= sin _ => first [assumption | apply sin_ge_0; bc_by_pi | bc_last]
  | |- 0 < cos _ => first [assumption | apply cos_gt_0; bc_by_pi | bc_last]
  | |- 0 <= cos _ => first [assumption | apply cos_ge_0; bc_by_pi | bc_last]
  | |- 0 < exp _ => apply exp_pos
  | |- 0 < PI => apply PI_RGT_0
  | |- 0 < IZR _ => lra
  | |- 0 < ?a * ?b => first [assumption | apply Rmult_lt_0_compat; bc_sgn | lra]
  | |- 0 < / ?a => apply Rinv_0_lt_compat; bc_sgn
  | |- 0 < ?a / ?b => first [assumption | apply Rdiv_lt_0_compat; bc_sgn | lra]
  | |- 0 < rpw _ _ => apply rpw_pos; bc_sgn
  | |- 0 < sqrt _ => apply sqrt_lt_R0; bc_sgn
  | |- 0 < ?a ^ ?n => first [solve [apply pow_lt; bc_sgn] | apply (even_power_pos a (Nat.div2 n)); bc_sgn]
  | |- 0 < Rabs ?a => apply Rabs_pos_lt; bc_sgn
  | |- 0 < Rmin _ _ => apply Rmin_pos; bc_sgn
  | |- 0 < ln _ => first [assumption | lra | apply ln_pos; bc_big | interval]
  | |- 0 < - 1 + ?b => first [assumption | lra | solve [apply strictly_above; bc_big] | bc_last]
  | |- 0 < ?a - 1 => first [assumption | lra | solve [apply strictly_above'; bc_big] | bc_last]
  | |- 0 < 1 - ?b => first [assumption | lra | solve [apply strictly_below; bc_small] | bc_last]
  | |- 0 < ?a + ?b =>
      first [ assumption | lra | apply Rplus_lt_0_compat; bc_sgn | apply Rplus_le_lt_0_compat; bc_sgn
            | apply Rplus_lt_le_0_compat; bc_sgn | bc_last]
  | |- 0 < - ?a => apply Ropp_0_gt_lt_contravar; bc_npos
  | |- 0 <= - ?a => apply Ropp_0_ge_le_contravar; apply Rle_ge; bc_npos
  | |- _ < 0 => bc_npos
  | |- _ <= 0 => bc_npos
  | |- 0 <= 0 => lra
  | |- 0 <= Rabs _ => apply Rabs_pos
  | |- 0 <= sqrt _ => apply sqrt_pos
  | |- 0 <= rpw _ _ => apply rpw_nonneg
  | |- 0 <= ?a * ?a => apply Rle_0_sqr
  | |- 0 <= ?a * ?b => first [assumption | apply Rmult_le_pos; bc_sgn | solve [apply both_nonpos; bc_npos] | lra | nra]
  | |- 0 <= / ?a => left; apply Rinv_0_lt_compat; bc_sgn
  | |- 0 <= ?a / ?b => first [assumption | apply Rmult_le_pos; [bc_sgn | left; apply Rinv_0_lt_compat; bc_sgn] | lra]
  | |- 0 <= ?a ^ 2 => apply pow2_ge_0
  | |- 0 <= ?a ^ ?n => first [solve [apply (even_power a (Nat.div2 n))] | apply pow_le; bc_sgn]
  | |- 0 <= ln _ => first [assumption | lra | apply ln_nonneg; bc_big | interval]
  | |- 0 <= - 1 + ?b => first [assumption | lra | apply above_one; bc_big | bc_last]
  | |- 0 < ?a - ?b => first [assumption | lra | solve [apply sub_pos; [bc_sgn | bc_npos]] | bc_last]
  | |- 0 <= ?a - 1 => first [assumption | lra | apply above_one'; bc_big | bc_last]
  | |- 0 <= ?a - ?b => first [assumption | lra | solve [apply sub_nonneg; [bc_sgn | bc_npos]] | bc_last]
  | |- 0 <= ?a + ?b => first [assumption | lra | apply Rplus_le_le_0_compat; bc_sgn | bc_last]
  | |- 0 <= Rmin _ _ => apply Rmin_glb; bc_sgn
  | |- 0 <= Rmax _ _ => first [eapply Rle_trans; [| apply Rmax_l]; bc_sgn | eapply Rle_trans; [| apply Rmax_r]; bc_sgn]
  | |- 0 <= exp _ => left; apply exp_pos
  | |- 0 < _ => first [bc_special_sign | bc_last]
  | |- 0 <= _ => first [bc_special_sign | bc_last]
  | |- _ => fail
  end
with bc_whole_side := first [assumption | left; first [assumption | lra] | right; first [assumption | lra] | right; split; first [assumption | lra]
  | left; bc_sgn | right; lazymatch goal with |- _ /\ _ => split; bc_sgn | _ => bc_sgn end]
with bc_npos :=
  lazymatch goal with
  | |- 0 > ?a => change (a < 0); bc_npos
  | |- ln _ <= 0 => first [assumption | lra | apply ln_nonpos; [bc_sgn | first [bc_leaf | bc_small]]]
  | |- - ?a <= 0 => apply neg_nonpos; bc_sgn
  | |- sin _ < 0 => first [assumption | apply sin_below; bc_by_pi | timeout 3 interval]
  | |- sin _ <= 0 => first [assumption | apply sin_below_le; bc_by_pi | timeout 3 interval]
  | |- - 1 + ?b <= 0 => first [assumption | lra | solve [apply below_one; bc_small] | timeout 3 interval | timeout 5 nra]
  | |- - ?a < 0 => apply Ropp_lt_gt_0_contravar; bc_sgn
  | |- / ?a <= 0 => left; apply Rinv_lt_0_compat; bc_npos
  | |- ln _ < 0 => first [assumption | lra | apply ln_neg; [bc_sgn | first [bc_leaf | bc_small]] | timeout 3 interval]
  | |- / ?a < 0 => first [assumption | apply Rinv_lt_0_compat; bc_npos]
  | |- ?a ^ 1 < 0 => apply one_power_neg; bc_npos
  | |- ?a * ?b < 0 => first [assumption | lra | solve [apply mult_neg_r; [bc_sgn | bc_npos]] | solve [apply mult_neg_l; [bc_npos | bc_sgn]] | timeout 3 interval | timeout 5 nra]
  | |- - ?a * ?b <= 0 => first [assumption | lra | solve [apply mult_nonpos_l; [apply neg_nonpos; bc_sgn | bc_sgn]] | apply mult_nonpos_r; [bc_sgn | bc_npos]]
  | |- ?a * ?b <= 0 => first [assumption | lra | apply mult_nonpos_r; [bc_sgn | bc_npos] | apply mult_nonpos_l; [bc_npos | bc_sgn]]
  | |- ?a / ?b <= 0 => first [assumption | lra | apply over_nonpos; [bc_sgn | bc_npos] | apply over_negative; [bc_npos | bc_sgn]]
  | |- _ => first [assumption | lra | timeout 3 interval | timeout 5 nra]
  end
with bc_small :=
  lazymatch goal with
  | |- ?a / ?b <= 1 => first [apply over_le; [bc_sgn | bc_leaf] | lra | nra]
  | |- ipw _ _ <= 1 => apply ipw_le_1; [bc_whole | bc_sgn | first [bc_leaf | bc_small] | bc_sgn]
  | |- rpw _ _ <= 1 => apply rpw_le_1; [bc_sgn | first [bc_leaf | bc_small] | bc_sgn]
  | |- rpw _ _ < 1 => first [apply rpw_lt_1; [bc_sgn | bc_leaf | bc_sgn] | lra]
  | |- exp _ < 1 => first [apply exp_under; bc_npos | interval]
  | |- _ < 1 => first [lra | interval | nra]
  | |- _ <= 1 => first [lra | interval | nra]
  end
with bc_big :=
  lazymatch goal with
  | |- 1 < ?a / ?b => first [apply one_lt_div; [bc_sgn | first [bc_leaf | apply over_lt; [bc_sgn | bc_leaf]]] | solve [apply big_over; [bc_sgn | bc_leaf | bc_big]] | lra | interval | nra]
  | |- 1 <= ?a / ?b => first [apply one_le_div; [bc_sgn | bc_leaf] | lra | interval | nra]
  | |- 1 <= ?a * ?b => first [lra | apply one_le_mult; bc_big | interval | nra]
  | |- 1 <= ?a ^ _ => apply pow_R1_Rle; bc_big
  | |- 1 <= sqrt _ => first [apply one_le_sqrt; bc_big | interval]
  | |- 1 <= ipw _ _ => apply ipw_ge_1; [bc_whole | bc_big | bc_sgn]
  | |- 1 <= rpw _ _ => first [apply rpw_ge_1; [bc_big | bc_sgn] | apply rpw_ge_1_small; [bc_sgn | bc_leaf | bc_npos] | lra]
  | |- 1 <= exp _ => first [apply exp_ge_1; bc_sgn | interval]
  | |- 1 < rpw _ _ => first [apply rpw_gt_1; [bc_big | bc_sgn] | lra | interval]
  | |- 1 < exp _ => first [apply exp_gt_1; bc_sgn | interval]
  | |- 1 < sqrt _ => first [apply sqrt_gt_1; bc_big | interval]
  | |- 1 <= 1 + _ => first [lra | apply one_le_plus; bc_sgn]
  | |- 1 < ?a * ?b => first [lra | solve [apply big_times; bc_big] | interval | nra]
  | |- 1 < ?a + ?b => first [lra | solve [apply big_plus; [bc_sgn | bc_big]] | interval | nra]
  | |- 1 < _ => first [lra | interval | nra]
  | |- 1 <= _ => first [lra | interval | nra]
  end
with bc_last := first [assumption | lra
  | match goal with |- context [exp ?a] => pose proof (exp_ineq1_le a); lra end
  | match goal with
    | H : ?b >= ?c |- 0 < ?b => apply (Rlt_le_trans 0 c b); [bc_sgn | lra]
    | H : ?c <= ?b |- 0 < ?b => apply (Rlt_le_trans 0 c b); [bc_sgn | lra]
    | H : ?b > ?c / ?d |- 0 < ?b => apply (Rlt_trans 0 (c / d) b); [bc_sgn | lra]
    end
  | bc_special_last | timeout 3 interval | timeout 5 nra].

(* logarithms of products, quotients, powers taken apart; every base is positive by bc_sgn *)
Ltac bc_ln :=
  repeat match goal with
  | |- context [ln (?a * ?b)] => rewrite (ln_mult a b) by bc_sgn
  | |- context [ln (?a / ?b)] => rewrite (ln_div_pos a b) by bc_sgn
  | |- context [ln (/ ?a)] => rewrite (ln_Rinv a) by bc_sgn
  | |- context [ln (rpw ?a ?b)] => rewrite (ln_rpw a b) by bc_sgn
  | |- context [ln (sqrt ?a)] => rewrite (ln_sqrt_half a) by bc_sgn
  | |- context [ln (exp ?a)] => rewrite (ln_exp a)
  | |- context [ln (?a ^ ?n)] => rewrite (ln_pow_nat a n) by bc_sgn
  | |- context [ln 1] => rewrite ln_1
  end; simpl INR.
Ltac bc_field := first [ring | field; repeat split; bc_sgn | field_simplify; [ring | ..]; repeat split; bc_sgn].
(* a name for a positive term *)
Ltac bc_name a := let x := fresh "x" in let P := fresh in assert (P : 0 < a) by bc_sgn; set (x := a) in *; clearbody x.
(* a = b for positive products of powers, by their logarithms *)
Ltac bc_root_powers := progress (rewrite ?Rpow_mult_distr; repeat match goal with |- context [sqrt ?a ^ 2] => rewrite (pow2_sqrt a) by first [lra | bc_sgn] end).
Ltac bc_by_ln := apply same_ln; [bc_sgn | bc_sgn | bc_ln; first [bc_field | bc_root_powers; bc_field]].
Ltac bc_by_lns := bc_ln; bc_field.

(* min, max and modulus by cases *)
Ltac bc_split a b := destruct (Rle_or_lt a b) as [? | ?].
Ltac bc_unkink :=
  repeat match goal with
  | |- context [Rmin ?a ?b] => bc_split a b; [rewrite !(Rmin_left a b) in * by lra | rewrite !(Rmin_right a b) in * by lra]
  | |- context [Rmax ?a ?b] => bc_split a b; [rewrite !(Rmax_right a b) in * by lra | rewrite !(Rmax_left a b) in * by lra]
  | |- context [Rabs ?a] => bc_split 0 a; [rewrite !(Rabs_pos_eq a) in * by lra | rewrite !(Rabs_left a) in * by lra]
  | H : context [Rmin ?a ?b] |- _ => bc_split a b; [rewrite !(Rmin_left a b) in * by lra | rewrite !(Rmin_right a b) in * by lra]
  | H : context [Rmax ?a ?b] |- _ => bc_split a b; [rewrite !(Rmax_right a b) in * by lra | rewrite !(Rmax_left a b) in * by lra]
  | H : context [Rabs ?a] |- _ => bc_split 0 a; [rewrite !(Rabs_pos_eq a) in * by lra | rewrite !(Rabs_left a) in * by lra]
  end.

(* hyperbolic functions *)
Lemma cosh_one x : 1 <= cosh x.
Proof.
  unfold cosh. rewrite exp_Ropp. pose proof (exp_pos x) as P. pose proof (Rinv_0_lt_compat _ P) as Q.
  assert (E : exp x * / exp x = 1) by (apply Rinv_r; lra).
  assert (S := Rle_0_sqr (exp x - / exp x)). unfold Rsqr in S. nra.
Qed.
Lemma sinh_above x : 0 <= x -> x <= sinh x.
Proof.
  intros H. assert (G : 0 <= sinh x - x); [| lra].
  destruct (Rle_lt_or_eq_dec 0 x H) as [L | L]; [| subst; rewrite sinh_0; lra].
  destruct (MVT_cor2 (fun t => sinh t - t) (fun t => cosh t - 1) 0 x L) as (c & D & _).
  { intros c _. apply derivable_pt_lim_minus; [apply derivable_pt_lim_sinh | apply derivable_pt_lim_id]. }
  cbv beta in D. rewrite sinh_0 in D. pose proof (cosh_one c). nra.
Qed.
Ltac bc_cosh a := assert (1 <= cosh a) by apply cosh_one.
Ltac bc_sinh a := assert (a <= sinh a) by (apply sinh_above; first [lra | bc_sgn]); try (assert (0 <= sinh a) by first [lra | bc_sgn]).
Ltac bc_hyperbolic := unfold tanh, sinh, cosh;
  rewrite ?Ropp_plus_distr, ?Ropp_minus_distr; unfold Rminus; rewrite ?exp_plus, ?exp_Ropp, ?Ropp_involutive; rewrite ?exp_Ropp;
  field; repeat split; first [apply Rgt_not_eq, exp_pos | bc_sgn].
(* a hypothesis that compares exp with 1 *)
Ltac bc_exp_goal := match goal with |- _ > _ => apply Rlt_gt | |- _ >= _ => apply Rle_ge | _ => idtac end; match goal with |- exp _ < 1 => apply exp_under | |- exp _ <= 1 => apply exp_under_le end;
  first [lra | match goal with |- - ?a < 0 => apply Ropp_lt_gt_0_contravar; bc_sgn | |- - ?a <= 0 => apply neg_nonpos; bc_sgn end | bc_npos].
Ltac bc_exps := repeat match goal with H : exp _ < 1 |- _ => apply exp_below in H | H : exp _ >= 1 |- _ => apply exp_above in H end; lra.

(* what a box settles *)
Ltac bc_arc_range := split; first [lra | interval | bc_sgn].
Ltac bc_unarc := repeat match goal with
  | |- context [acos ?x] => rewrite (acos_asin x) by bc_arc_range
  | |- context [asin ?x] => rewrite (asin_atan x) by bc_arc_range; rewrite (Rsqr_pow2 x)
  end.
Ltac bc_to_exp :=
  repeat match goal with
  | |- context [rpw ?x ?y] => rewrite (rpw_exp x y) by bc_sgn
  end;
  match goal with
  | |- context [asin _] => bc_unarc | |- context [acos _] => bc_unarc
  | |- context [sinh _] => unfold tanh, sinh, cosh | |- context [cosh _] => unfold tanh, sinh, cosh
  | |- context [tanh _] => unfold tanh, sinh, cosh
  | _ => idtac
  end; bc_special_box.
Ltac bc_gap :=
  lazymatch goal with
  | |- ?a <= ?b => apply Rminus_le_0
  | |- ?a < ?b => apply Rminus_lt_0
  | |- ?a >= ?b => apply Rle_ge; apply Rminus_le_0
  | |- ?a > ?b => apply Rlt_gt; apply Rminus_lt_0
  end.
Ltac bc_order := match goal with |- _ > _ => apply Rlt_gt | |- _ >= _ => apply Rle_ge | _ => idtac end.
Lemma Rgt_minus_gt a b : a - b > 0 -> a > b.
Proof. intros. lra. Qed.
Ltac bc_through := repeat match goal with H : ?v - ?t > 0 |- _ => apply Rgt_minus_gt in H end; match goal with
  | H : ?v > ?t |- 0 < ?v => apply (Rlt_trans _ t); [bc_to_exp; timeout 4 interval | lra]
  | H : ?v >= ?t |- 0 < ?v => apply (Rlt_le_trans _ t); [bc_to_exp; timeout 4 interval | lra]
  | H : ?v >= ?t |- ?k <= ?v => apply (Rle_trans _ t); [bc_to_exp; timeout 4 interval | lra]
  | H : ?v > ?t |- ?k <= ?v => apply (Rle_trans _ t); [bc_to_exp; timeout 4 interval | lra]
  | H : ?t <= ?v |- ?k <= ?v => apply (Rle_trans _ t); [bc_to_exp; timeout 4 interval | lra]
  | H : ?v <= ?t |- ?v <= ?k => apply (Rle_trans _ t); [lra | bc_to_exp; timeout 4 interval]
  | H : ?v < ?t |- ?v <= ?k => apply (Rle_trans _ t); [lra | bc_to_exp; timeout 4 interval]
  end.
Lemma over_exp v c : 0 < v -> c < ln v -> exp c < v.
Proof. intros V H. rewrite <- (exp_ln v) by exact V. apply exp_increasing. exact H. Qed.
Ltac bc_from_log := match goal with
  | H : ln ?v > ?c |- ?k <= ?v => apply (Rle_trans _ (exp c)); [timeout 4 interval with (i_prec 90) | apply Rlt_le, over_exp; [bc_sgn | exact H]]
  | H : ?c < ln ?v |- ?k <= ?v => apply (Rle_trans _ (exp c)); [timeout 4 interval with (i_prec 90) | apply Rlt_le, over_exp; [bc_sgn | exact H]]
  end.
Ltac bc_bound := first [lra | timeout 4 nra | bc_order; bc_to_exp; timeout 4 interval | bc_through | bc_from_log].
(* a bound of a whole number from the strict one beside it *)
Ltac bc_whole_bound k := first [apply Rge_le; apply (int_above _ k) | apply (int_below _ k)]; [assumption | lra].
(* a variable's sign from hypotheses in which exponentials occur *)
Ltac bc_implied := first [lra
  | repeat match goal with H : context [exp ?a] |- _ => lazymatch goal with _ : 0 < exp a |- _ => fail | _ => pose proof (exp_pos a) end end; first [lra | timeout 4 nra]
  | bc_bound].
Ltac bc_over :=
  bc_order;
  lazymatch goal with
  | |- _ <= _ / _ => apply le_over; [bc_sgn |]
  | |- _ < _ / _ => apply lt_over; [bc_sgn |]
  | |- _ / _ <= _ => apply over_le; [bc_sgn |]
  | |- _ / _ < _ => apply over_lt; [bc_sgn |]
  end.
(* every division by a positive term as multiplication by a new variable *)
Ltac bc_inverse_of d := let i := fresh "i" in let P := fresh in let E := fresh in
  assert (P : 0 < d) by bc_sgn; assert (E : / d * d = 1) by (apply Rinv_l; lra);
  apply Rinv_0_lt_compat in P; set (i := / d) in *; clearbody i.
Ltac bc_inverses := unfold Rdiv in *; repeat match goal with |- context [/ ?d] => bc_inverse_of d end.
Lemma other_factor b m p : 0 <= b -> b = m * p -> 0 < m -> p <> 0 -> 0 < p.
Proof. intros B E M N. destruct (Rtotal_order p 0) as [L | [L | L]]; [exfalso; nra | contradiction | exact L]. Qed.
Lemma root_is a b : 0 <= b -> b * b = a -> sqrt a = b.
Proof. intros B <-. apply sqrt_square. exact B. Qed.
(* roots of square numbers *)
Ltac bc_squares := repeat match goal with
  | |- context [sqrt (IZR (Zpos ?p))] => let r := eval vm_compute in (Z.sqrt (Zpos p)) in rewrite (root_is (IZR (Zpos p)) (IZR r)) by lra
  end.
Lemma root_abs a b : a = b ^ 2 -> sqrt a = Rabs b.
Proof. intros ->. replace (b ^ 2) with (Rsqr b) by (unfold Rsqr; ring). apply sqrt_Rsqr_abs. Qed.
Lemma ln_square x : x <> 0 -> ln (x ^ 2) = 2 * ln (Rabs x).
Proof.
  intros H. assert (P := Rabs_pos_lt x H). rewrite <- Rabs_square. simpl. rewrite Rmult_1_r, ln_mult by assumption. ring.
Qed.
(* squares of roots of what may be 0; inverse functions undone *)
Ltac bc_unroot := repeat match goal with
  | |- context [rpw ?a (1 / 2)] => rewrite (rpw_half a) by bc_sgn
  | |- context [sqrt ?a ^ 2] => rewrite (pow2_sqrt a) by bc_sgn
  | |- context [sqrt ?a * sqrt ?a] => rewrite (sqrt_sqrt a) by bc_sgn
  end.
(* sines and cosines of sums, and of angles that are multiples of PI / 4 and PI / 6 *)
Ltac bc_turned_values := rewrite ?sin_neg, ?cos_neg;
  rewrite ?sin_0, ?cos_0, ?sin_PI6, ?cos_PI6, ?sin_PI4, ?cos_PI4, ?sin_PI3, ?cos_PI3, ?sin_PI2, ?cos_PI2, ?sin_2PI3, ?cos_2PI3,
    ?sin_3PI4, ?cos_3PI4, ?sin_PI, ?cos_PI, ?sin_5PI4, ?cos_5PI4, ?sin_3PI2, ?cos_3PI2, ?sin_2PI, ?cos_2PI.
Ltac bc_turn tac t :=
  let go u := replace t with u by tac in
  first [go 0 | go (PI / 6) | go (PI / 4) | go (PI / 3) | go (PI / 2) | go (2 * (PI / 3)) | go (3 * (PI / 4)) | go PI | go (5 * (PI / 4))
  | go (3 * (PI / 2)) | go (2 * PI) | go (- (PI / 2)) | go (- (PI / 4)) | go (- PI)]; bc_turned_values.
Ltac bc_plain_roots := repeat match goal with
  | |- context [1 / sqrt 2] => replace (1 / sqrt 2) with (sqrt 2 / 2) by (assert (0 < sqrt 2) by (apply sqrt_lt_R0; lra); assert (sqrt 2 * sqrt 2 = 2) by (apply sqrt_sqrt; lra); field_simplify_eq; [nra | lra])
  end.
Ltac bc_doubles := repeat match goal with
  | |- context [sin (2 * ?x)] => rewrite (sin_2a x)
  | |- context [cos (2 * ?x)] => rewrite (cos_2a_cos x)
  end; repeat match goal with |- context [sin ?x] => lazymatch goal with
    | _ : sin x * sin x + cos x * cos x = 1 |- _ => fail
    | _ => let P := fresh in pose proof (sin2_cos2 x) as P; unfold Rsqr in P end end.
Ltac bc_quarters :=
  repeat match goal with
  | |- context [sin (?a + ?b)] => rewrite (sin_plus a b) | |- context [sin (?a - ?b)] => rewrite (sin_minus a b)
  | |- context [cos (?a + ?b)] => rewrite (cos_plus a b) | |- context [cos (?a - ?b)] => rewrite (cos_minus a b)
  | |- context [sin (- ?a)] => rewrite (sin_neg a) | |- context [cos (- ?a)] => rewrite (cos_neg a)
  end;
  repeat match goal with
  | |- context [sin ?t] => lazymatch t with context [PI] => progress bc_turn lra t end
  | |- context [cos ?t] => lazymatch t with context [PI] => progress bc_turn lra t end
  end; bc_turned_values; bc_plain_roots; rewrite ?sin_atan, ?cos_atan; unfold Rsqr;
  first [lra | bc_field | assert (sqrt 2 * sqrt 2 = 2) by (apply sqrt_sqrt; lra); assert (sqrt 3 * sqrt 3 = 3) by (apply sqrt_sqrt; lra); first [lra | nra]].
Lemma sine_of_acos x : -1 <= x <= 1 -> sin (acos x) = sqrt (1 - x ^ 2).
Proof. intros H. rewrite sin_acos by exact H. f_equal. unfold Rsqr. ring. Qed.
Lemma cosine_of_asin x : -1 <= x <= 1 -> cos (asin x) = sqrt (1 - x ^ 2).
Proof. intros H. rewrite cos_asin by exact H. f_equal. unfold Rsqr. ring. Qed.
Lemma cosine_of_atan x : cos (atan x) = 1 / sqrt (1 + x ^ 2).
Proof. rewrite cos_atan. do 2 f_equal. unfold Rsqr. ring. Qed.
Lemma sine_of_atan x : sin (atan x) = x / sqrt (1 + x ^ 2).
Proof. rewrite sin_atan. do 2 f_equal. unfold Rsqr. ring. Qed.
Ltac bc_inverse := repeat match goal with
  | |- context [sin (acos ?a)] => rewrite (sine_of_acos a) by bc_arc_range
  | |- context [cos (asin ?a)] => rewrite (cosine_of_asin a) by bc_arc_range
  | |- context [cos (atan ?a)] => rewrite (cosine_of_atan a)
  | |- context [sin (atan ?a)] => rewrite (sine_of_atan a)
  | |- context [tan (atan ?a)] => rewrite (tan_atan a)
  | |- context [atan (tan ?a)] => rewrite (atan_tan a) by bc_arc_range
  | |- context [asin (sin ?a)] => rewrite (asin_sin a) by bc_arc_range
  | |- context [acos (cos ?a)] => rewrite (acos_cos a) by bc_arc_range
  | |- context [sin (asin ?a)] => rewrite (sin_asin a) by bc_arc_range
  | |- context [cos (acos ?a)] => rewrite (cos_acos a) by bc_arc_range
  | |- context [atan (/ ?a)] => rewrite (atan_inv a) by bc_sgn
  | |- context [?a ^ 1] => rewrite (pow_1 a)
  | |- context [atan 0] => rewrite atan_0
  | |- context [asin 0] => rewrite asin_0
  | |- context [asin 1] => rewrite asin_1
  | |- context [asin (- ?a)] => rewrite (asin_opp a)
  | |- context [acos 0] => rewrite acos_0
  | |- context [acos 1] => rewrite acos_1
  | |- context [acos (- ?a)] => rewrite (acos_opp a)
  | |- context [tan 0] => rewrite tan_0
  | |- context [sin 0] => rewrite sin_0
  | |- context [cos 0] => rewrite cos_0
  | |- context [exp 0] => rewrite exp_0
  | |- context [ln 1] => rewrite ln_1
  | |- context [atan 1] => rewrite atan_1
  | |- context [sin PI] => rewrite sin_PI
  | |- context [cos PI] => rewrite cos_PI
  | |- context [atan (1 / ?a)] => replace (1 / a) with (/ a) by (unfold Rdiv; ring)
  | |- context [ln (?a ^ 2)] => rewrite (ln_square a) by bc_sgn
  end.
(* signs (-1) ** x by cases, with x + 1 taken apart; powers of positive numbers are positive *)
Ltac bc_signs := rewrite ?sgz_0, ?sgz_1 in *;
  repeat match goal with |- context [sgz (?x + 1)] => rewrite (sgz_next x) by bc_whole end;
  repeat match goal with |- context [sgz ?x] => destruct (sgz_cases x) as [-> | ->] end;
  repeat match goal with |- context [rpw ?x ?y] => lazymatch goal with _ : 0 < rpw x y |- _ => fail | _ => assert (0 < rpw x y) by bc_sgn end end;
  first [lra | nra | bc_by_lns | bc_field].
Ltac bc_others := first [solve [bc_special_value] | solve [match goal with |- context [sgz _] => bc_signs end] | solve [match goal with |- context [PI] => timeout 10 bc_quarters end] | solve [progress bc_doubles; first [bc_field | lra | nra]]
  | solve [progress (repeat match goal with |- context [acos ?x] => rewrite (acos_asin x) by bc_arc_range end); bc_field] | solve [progress bc_unroot; bc_field] | solve [progress bc_inverse; bc_field]
  | solve [subst; bc_by_ln] | solve [apply root_abs; ring] | solve [symmetry; apply root_abs; ring]].
(* bounds of variables as interval wants them *)
Ltac bc_bounds := repeat match goal with
  | H : _ >= _ |- _ => apply Rge_le in H | H : _ > _ |- _ => apply Rgt_lt in H | H : _ < _ |- _ => apply Rlt_le in H end.
(* a box at once, by interval arithmetic *)
Ltac bc_plain := bc_bounds; bc_gap; bc_to_exp; timeout 5 interval.
(* an order of smallest and largest values and of moduli by one of their parts, or by all *)
Ltac bc_extreme := first [assumption | lra | lazymatch goal with
  | |- Rmin ?a ?b < _ => first [solve [apply (Rle_lt_trans _ a); [apply Rmin_l | bc_extreme]] | apply (Rle_lt_trans _ b); [apply Rmin_r | bc_extreme]]
  | |- Rmin ?a ?b <= _ => first [solve [apply (Rle_trans _ a); [apply Rmin_l | bc_extreme]] | apply (Rle_trans _ b); [apply Rmin_r | bc_extreme]]
  | |- _ < Rmax ?a ?b => first [solve [apply (Rlt_le_trans _ a); [bc_extreme | apply Rmax_l]] | apply (Rlt_le_trans _ b); [bc_extreme | apply Rmax_r]]
  | |- _ <= Rmax ?a ?b => first [solve [apply (Rle_trans _ a); [bc_extreme | apply Rmax_l]] | apply (Rle_trans _ b); [bc_extreme | apply Rmax_r]]
  | |- _ < Rmin _ _ => apply Rmin_glb_lt; bc_extreme
  | |- _ <= Rmin _ _ => apply Rmin_glb; bc_extreme
  | |- Rmax _ _ < _ => apply Rmax_lub_lt; bc_extreme
  | |- Rmax _ _ <= _ => apply Rmax_lub; bc_extreme
  | |- Rabs _ < _ => apply Rabs_def1; lra
  | |- Rabs _ <= _ => apply Rabs_le; lra
  end].
(* hypotheses about smallest and largest values, as ones about their parts *)
Ltac bc_open_extremes := repeat match goal with
  | H : _ < Rmin _ _ |- _ => apply Rlt_gt in H | H : _ <= Rmin _ _ |- _ => apply Rle_ge in H
  | H : _ > Rmax _ _ |- _ => apply Rgt_lt in H | H : _ >= Rmax _ _ |- _ => apply Rge_le in H
  | H : Rmin ?a ?b > ?c |- _ => assert (a > c) by (pose proof (Rmin_l a b); lra); assert (b > c) by (pose proof (Rmin_r a b); lra); clear H
  | H : Rmin ?a ?b >= ?c |- _ => assert (a >= c) by (pose proof (Rmin_l a b); lra); assert (b >= c) by (pose proof (Rmin_r a b); lra); clear H
  | H : Rmax ?a ?b < ?c |- _ => assert (a < c) by (pose proof (Rmax_l a b); lra); assert (b < c) by (pose proof (Rmax_r a b); lra); clear H
  | H : Rmax ?a ?b <= ?c |- _ => assert (a <= c) by (pose proof (Rmax_l a b); lra); assert (b <= c) by (pose proof (Rmax_r a b); lra); clear H
  end.
(* whole powers taken apart *)
Ltac bc_apart_powers := repeat (simpl INR; match goal with
  | |- context [rpw ?x 0] => rewrite (rpw_0_exponent x) by bc_sgn
  | |- context [ipw ?x 0] => rewrite (ipw_0 x)
  | |- context [ipw ?x 1] => rewrite (ipw_1 x)
  | |- context [ipw ?x (IZR (Zpos ?p))] => rewrite (ipw_number x p); let n := eval compute in (Pos.to_nat p) in change (Pos.to_nat p) with n
  | |- context [ipw ?x (- ?a)] => rewrite (ipw_opp x a) by first [bc_whole | bc_sgn]
  | |- context [ipw ?x (?a + ?b)] => rewrite (ipw_add x a b) by first [bc_whole | bc_whole_side]
  | |- context [ipw ?x (?a - ?b)] => rewrite (ipw_sub x a b) by first [bc_whole | bc_sgn]
  | |- context [ipw ?x (IZR (Zpos ?p) * ?a)] => rewrite (ipw_double x p a) by first [bc_whole | bc_whole_side]; let n := eval compute in (Pos.to_nat p) in change (Pos.to_nat p) with n
  end).
Ltac bc_equal := first [bc_field | bc_others | solve [progress bc_apart_powers; bc_field] | solve [rewrite !(Rabs_pos_eq _) by bc_sgn; bc_field] | timeout 20 (bc_unkink; try (exfalso; lra); first [lra | bc_field | nra | exfalso; timeout 5 (bc_inverses; nra) | timeout 5 (bc_inverses; nra)])].
(* a comparison of two values of one increasing function, of two products with a common factor *)
Ltac bc_mono tac :=
  bc_order;
  lazymatch goal with
  | |- ln _ <= ln _ => apply ln_le_0; [bc_sgn | tac]
  | |- ln _ < ln _ => apply ln_increasing; [bc_sgn | tac]
  | |- sqrt _ <= sqrt _ => apply sqrt_le_1_alt; tac
  | |- exp _ <= exp _ => apply exp_le; tac
  | |- rpw _ ?a <= rpw _ ?a => apply rpw_le_base; [bc_sgn | tac | bc_sgn]
  | |- rpw ?a _ <= rpw ?a _ => apply rpw_le_exp; [bc_big | tac]
  | |- ?a * _ <= ?a * _ => apply Rmult_le_compat_l; [bc_sgn | tac]
  | |- _ * ?a <= _ * ?a => apply Rmult_le_compat_r; [bc_sgn | tac]
  | |- _ / ?a <= _ / ?a => apply Rmult_le_compat_r; [bc_sgn | tac]
  | |- ?c + _ <= ?c + _ => apply Rplus_le_compat_l; tac
  end.
Ltac bc_range := bc_order; first [lra | timeout 4 bc_sgn | timeout 4 bc_big | timeout 4 bc_small | timeout 4 (bc_over; lra) | bc_to_exp; timeout 3 interval].
Ltac bc_roots := repeat match goal with
  | H : context [sqrt ?a] |- _ => lazymatch goal with _ : 0 < sqrt a |- _ => fail | _ => assert (0 < sqrt a) by bc_sgn end
  end.
Ltac bc_root_nra :=
  repeat match goal with |- context [rpw ?a (1 / 2)] => rewrite (rpw_half a) by bc_sgn end;
  repeat match goal with
  | |- context [sqrt ?a] =>
      let s := fresh "s" in let P := fresh in let E := fresh in
      assert (P := sqrt_pos a); assert (E : sqrt a * sqrt a = a) by (apply sqrt_sqrt; bc_sgn);
      set (s := sqrt a) in *; clearbody s
  end; nra.
(* logarithms taken apart in hypotheses too; ln x <= x - 1 and 1 + x <= exp x *)
Ltac bc_logs :=
  repeat match goal with
  | H : context [ln (?a * ?b)] |- _ => rewrite (ln_mult a b) in H by bc_sgn
  | H : context [ln (?a / ?b)] |- _ => rewrite (ln_div_pos a b) in H by bc_sgn
  | H : context [ln (/ ?a)] |- _ => rewrite (ln_Rinv a) in H by bc_sgn
  | H : context [ln 1] |- _ => rewrite ln_1 in H
  end;
  bc_ln;
  repeat match goal with
  | |- context [ln ?a] => let P := fresh in assert (P := ln_below a ltac:(bc_sgn)); generalize dependent (ln a); intros
  | |- context [exp ?a] => let P := fresh in assert (P := exp_ineq1_le a); generalize dependent (exp a); intros
  end; first [lra | nra].
(* the value of floor or ceil of a number *)
Lemma floor_is n x : IZR n <= x < IZR (n + 1) -> rfloor x = IZR n.
Proof. intros H. unfold rfloor. rewrite (Zfloor_imp n x H). reflexivity. Qed.
Lemma ceil_is n x : IZR (n - 1) < x <= IZR n -> rceil x = IZR n.
Proof. intros H. unfold rceil. rewrite (Zceil_imp n x H). reflexivity. Qed.
Lemma sin_modulus a : Rabs (sin a) <= 1.
Proof. apply Rabs_le. apply SIN_bound. Qed.
Lemma cos_modulus a : Rabs (cos a) <= 1.
Proof. apply Rabs_le. apply COS_bound. Qed.
(* moduli of quotients and products by those of their parts, each of which has a sign *)
Ltac bc_moduli :=
  repeat match goal with
  | |- context [Rabs (?a / ?b)] => rewrite (Rabs_div a b) by bc_sgn
  | |- context [Rabs (?a * ?b)] => rewrite (Rabs_mult a b)
  end; rewrite ?Rabs_R1;
  repeat match goal with
  | |- context [Rabs ?a] => first [rewrite (Rabs_pos_eq a) by first [lra | bc_sgn] | rewrite (Rabs_left1 a) by first [lra | bc_npos]]
  end;
  repeat match goal with
  | |- context [Rabs (sin ?a)] => lazymatch goal with _ : Rabs (sin a) <= 1 |- _ => fail | _ => pose proof (sin_modulus a) end
  | |- context [Rabs (cos ?a)] => lazymatch goal with _ : Rabs (cos a) <= 1 |- _ => fail | _ => pose proof (cos_modulus a) end
  end.
Ltac bc_settle :=
  first
    [ assumption | lra | timeout 5 (ring)
    | timeout 10 bc_sgn
    | bc_gap; bc_to_exp; timeout 5 interval
    | timeout 10 nra
    | timeout 10 (bc_gap; bc_sgn)
    | timeout 10 (bc_order; bc_big)
    | timeout 10 (bc_mono ltac:(first [lra | bc_big | bc_over; lra | bc_sgn | nra | bc_mono lra]))
    | timeout 10 (bc_over; first [lra | nra | bc_to_exp; interval])
    | timeout 10 (progress bc_inverses; nra)
    | timeout 10 bc_root_nra
    | timeout 10 (bc_inverses; bc_root_nra)
    | timeout 10 bc_logs
    | timeout 10 (bc_order; progress rewrite ?Rmult_0_l, ?Rmult_0_r; bc_sgn)
    | timeout 10 bc_field
    | match goal with |- context [atan ?x] => pose proof (atan_bound x); lra end
    | timeout 10 (progress bc_moduli; first [lra | bc_mono lra | bc_over; first [lra | nra] | bc_bounds; bc_gap; bc_to_exp; interval | nra])
    | timeout 5 bc_exps
    | timeout 10 bc_exp_goal
    | match goal with |- context [sgz _] => timeout 10 bc_signs end
    | timeout 20 (progress bc_unkink; try (exfalso; lra); first [lra | bc_sgn | nra]) ].
(* sines and cosines lie between -1 and 1 *)
Ltac bc_waves := match goal with
  | |- context [sin ?x] => pose proof (SIN_bound x); lra
  | |- context [cos ?x] => pose proof (COS_bound x); lra
  end.
(* what becomes of a formula where a variable is 0 *)
Lemma zero_over a : 0 / a = 0.
Proof. unfold Rdiv. ring. Qed.
Ltac bc_zeros := progress rewrite ?Rmult_0_r, ?Rmult_0_l, ?zero_over, ?Ropp_0, ?sinh_0, ?cosh_0, ?exp_0, ?sqrt_0, ?Rabs_R0, ?Rmult_0_r, ?Rmult_0_l, ?Ropp_0;
  first [lra | timeout 10 bc_sgn | bc_field | bc_settle].
(* a logarithm by the bound that is known of its argument *)
Ltac bc_log_bound := bc_order; match goal with
  | H : ?c <= ?t |- ?k <= ln ?t => apply (Rle_trans _ (ln c)); [timeout 4 interval | apply ln_le_0; [lra | exact H]]
  | H : ?t <= ?c |- ln ?t <= ?k => apply (Rle_trans _ (ln c)); [apply ln_le_0; [bc_sgn | exact H] | timeout 4 interval]
  end.
Ltac bc_side := first [assumption | lra | bc_waves | timeout 20 bc_sgn | bc_settle].

(* ------------------------------------------------------------------ what the scripts of nodes use *)

(* the inequality of the weighted means, for a list of weights and values *)
Fixpoint mean_product (l : list (R * R)) : R := match l with nil => 1 | cons (w, v) r => rpw v w * mean_product r end.
Fixpoint mean_sum (l : list (R * R)) : R := match l with nil => 0 | cons (w, v) r => w * v + mean_sum r end.
Fixpoint mean_weight (l : list (R * R)) : R := match l with nil => 0 | cons (w, _) r => w + mean_weight r end.
Fixpoint mean_given (l : list (R * R)) : Prop := match l with nil => True | cons (w, v) r => 0 <= w /\ 0 <= v /\ mean_given r end.
Lemma mean_bound l A : 0 < A -> mean_given l -> 0 <= mean_sum l /\ 0 <= mean_product l <= exp (mean_weight l * (ln A - 1) + mean_sum l / A).
Proof.
  intros H. induction l as [| [w v] l IH]; simpl; [intros _ | intros (W & V & G)].
  - unfold Rdiv. rewrite !Rmult_0_l, Rplus_0_l, exp_0. lra.
  - destruct (IH G) as [S [P Q]]. split. assert (0 <= w * v) by (apply Rmult_le_pos; assumption). lra.
    split. apply Rmult_le_pos. apply rpw_nonneg. exact P.
    replace ((w + mean_weight l) * (ln A - 1) + (w * v + mean_sum l) / A) with (w * (ln A - 1 + v / A) + (mean_weight l * (ln A - 1) + mean_sum l / A)) by (field; lra).
    rewrite exp_plus. apply Rmult_le_compat; try assumption. apply rpw_nonneg.
    destruct V as [V | <-]; [| rewrite rpw_zero; apply Rlt_le, exp_pos]. rewrite rpw_exp by exact V. apply exp_le. apply Rmult_le_compat_l. exact W.
    pose proof (ln_below (v / A) ltac:(apply Rdiv_lt_0_compat; assumption)) as B. rewrite ln_div_pos in B by assumption. lra.
Qed.
Theorem weighted_means l : mean_given l -> mean_weight l = 1 -> mean_product l <= mean_sum l.
Proof.
  intros G W. apply Rnot_lt_le. intros N. assert (S := proj1 (mean_bound l 1 Rlt_0_1 G)). assert (P : 0 < mean_product l) by lra.
  destruct (mean_bound l _ P G) as [_ [_ B]]. rewrite W in B. assert (Q : mean_sum l / mean_product l < 1) by (apply over_lt; lra).
  assert (E : exp (1 * (ln (mean_product l) - 1) + mean_sum l / mean_product l) < exp (ln (mean_product l))) by (apply exp_increasing; lra).
  rewrite exp_ln in E by exact P. lra.
Qed.

Lemma bc_cases (a b : R) : a >= b \/ a <= b.
Proof. destruct (Rle_or_lt a b); [right | left]; lra. Qed.
Lemma bc_strictly (a b : R) : a > b \/ a <= b.
Proof. destruct (Rle_or_lt a b); [right | left]; lra. Qed.
Lemma bc_unequal (a b : R) : a - b <> 0 -> a > b \/ a < b.
Proof. intros H. destruct (Rtotal_order a b) as [A | [A | A]]; [right | exfalso | left]; lra. Qed.
Lemma scaled_le (s g : R) : 0 < s -> 0 <= s * g -> 0 <= g.
Proof. intros S H. apply (Rmult_le_reg_l s). exact S. lra. Qed.
Lemma scaled_lt (s g : R) : 0 < s -> 0 < s * g -> 0 < g.
Proof. intros S H. apply (Rmult_lt_reg_l s). exact S. lra. Qed.
Lemma scaled_eq (s g : R) : 0 < s -> s * g = 0 -> g = 0.
Proof. intros S H. apply Rmult_integral in H. lra. Qed.
Lemma scaled_ne (s g : R) : 0 < s -> s * g <> 0 -> g <> 0.
Proof. intros S H E. apply H. rewrite E. ring. Qed.
Lemma by_log_le a b : 0 < a -> 0 < b -> ln a <= ln b -> a <= b.
Proof. intros A B H. destruct (Rle_or_lt a b) as [C | C]. exact C. apply ln_increasing in C; lra. Qed.
Lemma by_log_lt a b : 0 < a -> 0 < b -> ln a < ln b -> a < b.
Proof. intros A B H. apply ln_lt_inv; assumption. Qed.
Lemma by_exp_le a b : exp a <= exp b -> a <= b.
Proof. intros H. destruct (Rle_or_lt a b) as [C | C]. exact C. apply exp_increasing in C. lra. Qed.
Lemma by_exp_lt a b : exp a < exp b -> a < b.
Proof. apply exp_lt_inv. Qed.
Lemma by_square_le a b : 0 <= b -> a ^ 2 <= b ^ 2 -> a <= b.
Proof. intros B H. destruct (Rle_or_lt a b) as [C | C]. exact C. exfalso. nra. Qed.
Lemma by_square_lt a b : 0 <= b -> a ^ 2 < b ^ 2 -> a < b.
Proof. intros B H. destruct (Rlt_or_le a b) as [C | C]. exact C. exfalso. nra. Qed.
Lemma up_power_le r a b : 0 <= r -> 0 <= a -> a <= b -> rpw a r <= rpw b r.
Proof.
  intros R [A | A] B. apply rpw_le_base; assumption. rewrite <- A, rpw_zero. apply rpw_nonneg.
Qed.
Lemma up_power_lt r a b : 0 < r -> 0 <= a -> a < b -> rpw a r < rpw b r.
Proof.
  intros R [A | A] B. rewrite !rpw_exp by lra. apply exp_increasing. apply Rmult_lt_compat_l. exact R. apply ln_increasing; lra.
  rewrite <- A, rpw_zero. apply rpw_pos. lra.
Qed.
Lemma by_power_le r a b : 0 < r -> 0 <= a -> 0 <= b -> rpw a r <= rpw b r -> a <= b.
Proof. intros P A B H. apply Rnot_lt_le. intros C. pose proof (up_power_lt r b a P B C). lra. Qed.
Lemma by_power_lt r a b : 0 < r -> 0 <= a -> 0 <= b -> rpw a r < rpw b r -> a < b.
Proof. intros P A B H. apply Rnot_le_lt. intros C. pose proof (up_power_le r b a ltac:(lra) B C). lra. Qed.
Lemma by_nth_le n a b : 0 <= a -> 0 <= b -> a ^ S n <= b ^ S n -> a <= b.
Proof.
  intros A B H. destruct (Rle_or_lt a b) as [C | C]. exact C. exfalso. assert (b ^ S n < a ^ S n); [| lra]. clear H.
  induction n as [| n IH]. simpl. lra. change (b * b ^ S n < a * a ^ S n). apply Rle_lt_trans with (b * a ^ S n).
  apply Rmult_le_compat_l; lra. apply Rmult_lt_compat_r. apply pow_lt. lra. exact C.
Qed.
Lemma by_nth_lt n a b : 0 <= a -> 0 <= b -> a ^ S n < b ^ S n -> a < b.
Proof. intros A B H. destruct (Rlt_or_le a b) as [C | C]. exact C. exfalso. assert (b ^ S n <= a ^ S n) by (apply pow_incr; lra). lra. Qed.
Lemma up_exp_le a b : a <= b -> exp a <= exp b.
Proof. apply exp_le. Qed.
Lemma up_exp_lt a b : a < b -> exp a < exp b.
Proof. apply exp_increasing. Qed.
Lemma up_log_le a b : 0 < a -> a <= b -> ln a <= ln b.
Proof. apply ln_le_0. Qed.
Lemma up_log_lt a b : 0 < a -> a < b -> ln a < ln b.
Proof. apply ln_increasing. Qed.
Lemma up_sqrt_le a b : 0 <= a -> a <= b -> sqrt a <= sqrt b.
Proof. intros. apply sqrt_le_1_alt. assumption. Qed.
Lemma up_sqrt_lt a b : 0 <= a -> a < b -> sqrt a < sqrt b.
Proof. intros. apply sqrt_lt_1_alt. split; assumption. Qed.
Lemma down_power_le r a b : 0 <= - r -> 0 < a -> a <= b -> rpw b r <= rpw a r.
Proof.
  intros R A B. rewrite !rpw_exp by lra. apply exp_le. assert (ln a <= ln b) by (apply ln_le_0; lra). nra.
Qed.
Lemma down_power_lt r a b : 0 < - r -> 0 < a -> a < b -> rpw b r < rpw a r.
Proof.
  intros R A B. rewrite !rpw_exp by lra. apply exp_increasing. assert (ln a < ln b) by (apply ln_increasing; lra). nra.
Qed.
Lemma up_atan_le a b : a <= b -> atan a <= atan b.
Proof. intros [A | A]. left. apply atan_increasing. exact A. rewrite A. lra. Qed.
Lemma up_atan_lt a b : a < b -> atan a < atan b.
Proof. apply atan_increasing. Qed.

(* what an inverse function is: a number of its branch with the right sine, cosine or tangent *)
Lemma asin_is x y : sin y = x -> - (PI / 2) <= y -> y <= PI / 2 -> asin x = y.
Proof. intros <- A B. apply asin_sin. split; assumption. Qed.
Lemma acos_is x y : cos y = x -> 0 <= y -> y <= PI -> acos x = y.
Proof. intros <- A B. apply acos_cos. split; assumption. Qed.
Lemma atan_is x y : sin y = x * cos y -> - (PI / 2) < y -> y < PI / 2 -> atan x = y.
Proof.
  intros E A B. assert (C : 0 < cos y) by (apply cos_gt_0; lra). replace x with (tan y).
  apply atan_tan. split; assumption. unfold tan. rewrite E. field. lra.
Qed.

Ltac bc_given := first [assumption | lra | bc_side].
Ltac bc_order_fact := first [assumption | lra | timeout 5 nra | bc_side].
(* 0 <= (< ) a product, by its factors; powers of known factors too *)
Lemma ratio_nonneg (p q : Z) : Z.leb 0 p = true -> Z.ltb 0 q = true -> 0 <= IZR p / IZR q.
Proof.
  intros P Q. apply Z.leb_le in P. apply Z.ltb_lt in Q. apply IZR_le in P. apply IZR_lt in Q.
  apply Rmult_le_pos. exact P. left. apply Rinv_0_lt_compat. exact Q.
Qed.
Lemma number_nonneg (p : Z) : Z.leb 0 p = true -> 0 <= IZR p.
Proof. intros P. apply IZR_le. apply Z.leb_le. exact P. Qed.
(* a sum whose terms are known to be nonnegative, one of them positive for < *)
Ltac bc_sum :=
  lazymatch goal with
  | |- 0 < _ + _ => first [apply Rplus_le_lt_0_compat; [bc_sum | assumption] | solve [apply Rplus_lt_le_0_compat; [bc_sum | bc_sum]] | apply Rplus_le_lt_0_compat; [bc_sum | bc_sum]]
  | |- 0 <= _ + _ => apply Rplus_le_le_0_compat; [bc_sum | bc_sum]
  | |- 0 < _ => assumption
  | |- _ => first [assumption | apply Rlt_le; assumption | apply Req_le; symmetry; assumption]
  end.
Lemma ratio_positive (p q : Z) : Z.ltb 0 p = true -> Z.ltb 0 q = true -> 0 < IZR p / IZR q.
Proof. intros P Q. apply Z.ltb_lt in P. apply Z.ltb_lt in Q. apply Rdiv_lt_0_compat; apply IZR_lt; assumption. Qed.
Ltac bc_product :=
  lazymatch goal with
  | |- 0 <= IZR ?p / IZR ?q => apply ratio_nonneg; reflexivity
  | |- 0 <= IZR ?p => apply number_nonneg; reflexivity
  | |- 0 <= ?a * ?b => first [assumption | solve [apply Rmult_le_pos; bc_product] | apply both_nonpos; bc_npos]
  | |- 0 <= ?a ^ 2 => apply pow2_ge_0
  | |- 0 <= ?a ^ ?n => first [assumption | solve [apply (even_power a (Nat.div2 n))] | apply pow_le; bc_product]
  | |- _ => first [assumption | lra | bc_sgn | bc_settle]
  end.
Ltac bc_product_strict :=
  lazymatch goal with
  | |- 0 < ?a * ?b => first [assumption | apply Rmult_lt_0_compat; bc_product_strict]
  | |- 0 < ?a ^ _ => first [assumption | apply pow_lt; bc_product_strict]
  | |- 0 < IZR ?p / IZR ?q => apply ratio_positive; reflexivity
  | |- 0 < IZR ?p => apply IZR_lt; reflexivity
  | |- _ => first [assumption | lra | bc_sgn]
  end.
(* roots of what may be 0 *)
Lemma nth_power a n : 0 <= a -> (rpw a (/ INR (S n))) ^ S n = a.
Proof.
  intros [H | H]; [| rewrite <- H, rpw_zero; apply pow_ne_zero; discriminate].
  assert (N : INR (S n) <> 0) by (apply not_0_INR; discriminate). rewrite rpw_exp by exact H.
  apply same_ln. apply pow_lt, exp_pos. exact H. rewrite ln_pow_nat, ln_exp by apply exp_pos. field. exact N.
Qed.
Ltac bc_nth := lazymatch goal with
  | |- rpw ?a ?q ^ ?n = _ => match n with S ?k => transitivity (rpw a (/ INR (S k)) ^ n); [apply (f_equal (fun u => rpw a u ^ n)); simpl INR; field | apply nth_power; bc_sgn] end
  | |- sqrt ?a ^ 2 = _ => apply pow2_sqrt; bc_sgn
  end.
Ltac bc_by_whole := first [solve [rewrite ?pow_1; f_equal; ring] | bc_apart_powers]; first [reflexivity | ring | bc_field].
Ltac bc_root_of := first [ring | rewrite rpw_half by bc_sgn; ring | rewrite <- rpw_half by bc_sgn; ring].
Ltac bc_field_order := lra.
Ltac bc_factors := first [bc_product_strict | bc_product].
Ltac bc_abs := first [ring | rewrite ?Rabs_mult, ?Rabs_Ropp; f_equal; bc_field
  | match goal with |- Rabs ?a = Rabs ?b => first [replace a with b by bc_field; reflexivity
      | replace a with (- b) by bc_field; apply Rabs_Ropp] end
  | rewrite ?Rabs_mult; repeat (rewrite (Rabs_pos_eq _) by bc_sgn); bc_field ].
Ltac bc_closed_number := first [timeout 5 lra | bc_order; timeout 10 interval | bc_gap; timeout 10 interval | bc_gap; timeout 20 interval with (i_prec 120)].
Ltac bc_whole_order := bc_order; first [apply IZR_lt; reflexivity | apply IZR_le; apply Z.leb_le; reflexivity].
Ltac bc_closed := bc_special_number; first [bc_whole_order | bc_to_exp; bc_closed_number].
Ltac bc_box := bc_to_exp; first [bc_order; timeout 20 interval with (i_prec 60) | bc_gap; timeout 20 interval with (i_prec 60)].
Ltac bc_cover := bc_settle.
(* hypotheses that contradict each other *)
Ltac bc_contradiction :=
  match goal with
  | H : ?v >= ?t, W : ?v <= ?k |- _ => assert (k < t) by (timeout 10 (bc_over; first [lra | bc_gap; interval])); lra
  | H : ?a <= ?b |- _ => apply (Rle_not_lt b a); [exact H |]; timeout 10 bc_side
  | H : ?a < ?b |- _ => apply (Rlt_not_le b a); [exact H |]; timeout 10 bc_side
  | H : ?a >= ?b |- _ => apply (Rge_not_gt b a); [exact H |]; timeout 10 bc_side
  | H : ?a > ?b |- _ => apply (Rgt_not_ge b a); [exact H |]; timeout 10 bc_side
  end.
Ltac bc_scaled_equal p g := first [assert (g = 0) by lra; nra | assert (g <> 0) by lra; nra].
Ltac bc_inside := first [assumption | lra | bc_side].
Ltac bc_cont := c_find; cbv beta; bc_side.
(* exponents that a derivative lowers by 1, as the goal writes them elsewhere *)
Ltac bc_exponents := repeat match goal with
  | |- context [rpw ?x (?a - 1)] => match goal with
    | |- context [rpw x ?b] => lazymatch b with (a - 1) => fail | _ => replace (a - 1) with b by first [lra | field; repeat split; bc_sgn] end
    end
  end.
Ltac bc_derive := eapply d_eq; [d_find; cbv beta; bc_side | cbv beta; simpl INR; simpl Nat.pred; bc_exponents; bc_equal].

(* ------------------------------------------------------------------ inner product spaces *)

(* Any real inner product space; its laws are fields of the record, so nothing is assumed by theorems about all of them. *)
Record Space : Type := {
  car :> Type;
  vzero : car;
  vadd : car -> car -> car;
  vscal : R -> car -> car;
  dot : car -> car -> R;
  dot_sym : forall x y, dot x y = dot y x;
  dot_add : forall x y z, dot (vadd x y) z = dot x z + dot y z;
  dot_scal : forall a x y, dot (vscal a x) y = a * dot x y;
  dot_zero : forall y, dot vzero y = 0;
  dot_pos : forall x, 0 <= dot x x
}.
Arguments vzero {_}.
Arguments vadd {_}.
Arguments vscal {_}.
Arguments dot {_}.
Definition vneg {S : Space} (x : S) : S := vscal (- 1) x.
Definition vsub {S : Space} (x y : S) : S := vadd x (vneg y).
Definition norm {S : Space} (x : S) : R := sqrt (dot x x).

Section Spaces.
Context {S : Space}.
Implicit Types x y z : S.
Lemma dot_add_r x y z : dot z (vadd x y) = dot z x + dot z y.
Proof. rewrite dot_sym, dot_add, (dot_sym _ x z), (dot_sym _ y z). reflexivity. Qed.
Lemma dot_scal_r a x y : dot y (vscal a x) = a * dot y x.
Proof. rewrite dot_sym, dot_scal, (dot_sym _ x y). reflexivity. Qed.
Lemma dot_zero_r y : dot y vzero = 0.
Proof. rewrite dot_sym. apply dot_zero. Qed.
Lemma dot_neg x y : dot (vneg x) y = - dot x y.
Proof. unfold vneg. rewrite dot_scal. ring. Qed.
Lemma dot_neg_r x y : dot y (vneg x) = - dot y x.
Proof. unfold vneg. rewrite dot_scal_r. ring. Qed.
Lemma dot_sub x y z : dot (vsub x y) z = dot x z - dot y z.
Proof. unfold vsub. rewrite dot_add, dot_neg. ring. Qed.
Lemma dot_sub_r x y z : dot z (vsub x y) = dot z x - dot z y.
Proof. unfold vsub. rewrite dot_add_r, dot_neg_r. ring. Qed.
Lemma norm_nonneg x : 0 <= norm x.
Proof. apply sqrt_pos. Qed.
Lemma norm_sq x : norm x ^ 2 = dot x x.
Proof. unfold norm. apply pow2_sqrt. apply dot_pos. Qed.
Lemma norm_le_sq x c : norm x <= c -> dot x x <= c ^ 2.
Proof. intros H. rewrite <- norm_sq. pose proof (norm_nonneg x). apply pow_incr. lra. Qed.
Lemma gap_of_norm x c : norm x <= c -> 0 <= c ^ 2 - dot x x.
Proof. intros H. apply norm_le_sq in H. lra. Qed.
Lemma square_pos x (s : R) : 0 <= dot x x + s ^ 2.
Proof. pose proof (dot_pos S x). pose proof (pow2_ge_0 s). lra. Qed.
End Spaces.
(* inner products of combinations as combinations of inner products, each one by its shape *)
Ltac bc_dot := lazymatch goal with
  | |- dot (vadd _ _) _ = _ => etransitivity; [apply dot_add | apply (f_equal2 Rplus); bc_dot]
  | |- dot (vsub _ _) _ = _ => etransitivity; [apply dot_sub | apply (f_equal2 Rminus); bc_dot]
  | |- dot (vneg _) _ = _ => etransitivity; [apply dot_neg | apply (f_equal Ropp); bc_dot]
  | |- dot (vscal _ _) _ = _ => etransitivity; [apply dot_scal | apply (f_equal (Rmult _)); bc_dot]
  | |- dot vzero _ = _ => apply dot_zero
  | |- dot _ (vadd _ _) = _ => etransitivity; [apply dot_add_r | apply (f_equal2 Rplus); bc_dot]
  | |- dot _ (vsub _ _) = _ => etransitivity; [apply dot_sub_r | apply (f_equal2 Rminus); bc_dot]
  | |- dot _ (vneg _) = _ => etransitivity; [apply dot_neg_r | apply (f_equal Ropp); bc_dot]
  | |- dot _ (vscal _ _) = _ => etransitivity; [apply dot_scal_r | apply (f_equal (Rmult _)); bc_dot]
  | |- dot _ vzero = _ => apply dot_zero_r
  | |- _ => reflexivity
  end.
Ltac bc_combined x := lazymatch x with
  | vadd _ _ => idtac | vsub _ _ => idtac | vneg _ => idtac | vscal _ _ => idtac | vzero => idtac end.
Ltac bc_dots :=
  rewrite ?Rpow_mult_distr, ?norm_sq;
  repeat match goal with
  | |- context [dot ?x ?y] => first [bc_combined x | bc_combined y];
      let E := fresh in eassert (E : dot x y = _) by bc_dot; rewrite E; clear E
  end.
Ltac bc_clear_inverses := unfold Rdiv in *; repeat match goal with H : context [/ ?d] |- _ => bc_inverse_of d end.
Ltac bc_constraint := first [lra | timeout 5 nra | timeout 20 (bc_clear_inverses; nra)].
Ltac bc_polynomial := first [ring | bc_field].
(* between which rationals a square root of a rational lies *)
Ltac bc_root := first [timeout 5 interval | timeout 10 interval with (i_prec 90) | lra].
(* an identity of rational functions whose denominators have signs that are given *)
Ltac bc_apart := first [assumption | apply Rgt_not_eq; lra | apply Rlt_not_eq; lra
  | match goal with Z : ?d <> 0 |- _ <> 0 => let Q := fresh in intros Q; apply Z; lra end | bc_sgn].
(* a divisor that is a product, a power or the multiple of one whose sign is given *)
Ltac bc_nonzero := first [bc_apart | apply Rmult_integral_contrapositive_currified; bc_nonzero | apply pow_nonzero; bc_nonzero
  | apply Rinv_neq_0_compat; bc_nonzero | apply Ropp_neq_0_compat; bc_nonzero
  | let Q := fresh in intros Q; timeout 10 nra].
(* a strict relation that divides by 0 does not hold *)
Ltac bc_divided := repeat match goal with
  | H : context [?n / ?d] |- _ => lazymatch goal with _ : d <> 0 |- _ => fail | _ =>
      let Z := fresh in destruct (Req_dec d 0) as [Z | Z]; [exfalso; rewrite Z in H; unfold Rdiv in H; rewrite Rinv_0 in H; lra |] end
  end.
Lemma square_apart x : x <> 0 -> 0 < x ^ 2.
Proof. intros H. rewrite <- Rsqr_pow2. apply Rlt_0_sqr. exact H. Qed.
Ltac bc_sums := repeat first [assumption | reflexivity | apply (f_equal2 Rplus) | apply (f_equal2 Rmult)].
Ltac bc_ratio := first [ring | field; repeat split; bc_apart | bc_field].

(* ------------------------------------------------------------------ expansions next to a point *)

(* f v is p v + v ^ n s with |s| <= B for |v| <= w *)
Definition tayl (f p : R -> R) (n : nat) (B w : R) := forall v, Rabs v <= w -> exists s, Rabs s <= B /\ f v = p v + v ^ n * s.
Lemma tayl_side (F f P p : R -> R) n B w : (forall t, 0 <= t <= w -> is_derive F t (f t)) ->
  (forall t, 0 <= t <= w -> is_derive P t (p t)) -> F 0 = P 0 ->
  (forall t, 0 <= t <= w -> Rabs (f t - p t) <= t ^ n * B) ->
  forall v, 0 <= v <= w -> Rabs (F v - P v) <= v ^ S n * (B / INR (S n)).
Proof.
  intros DF DP Z H v [V0 V1]. assert (N : INR (S n) <> 0) by (apply not_0_INR; discriminate).
  assert (G : forall s, s = 1 \/ s = -1 -> 0 <= v ^ S n * (B / INR (S n)) + s * (F v - P v)).
  { intros s Sg. apply Rle_trans with ((fun t => t ^ S n * (B / INR (S n)) + s * (F t - P t)) 0).
    cbv beta. rewrite Z, Rminus_eq_0, Rmult_0_r, pow_ne_zero by discriminate. lra.
    apply (rising (fun t => t ^ S n * (B / INR (S n)) + s * (F t - P t)) (fun t => t ^ n * B + s * (f t - p t)) 0 v V0).
    - intros t T. eapply d_eq; [d_find | simpl Nat.pred; field; exact N].
    - intros t T. specialize (H t ltac:(lra)). apply Rabs_le_between in H. destruct Sg; subst s; lra. }
  apply Rabs_le_between. pose proof (G 1 ltac:(auto)). pose proof (G (-1) ltac:(auto)). lra.
Qed.
Lemma tayl_integral (F f P p : R -> R) n B w : (forall t, Rabs t <= w -> is_derive F t (f t)) ->
  (forall t, Rabs t <= w -> is_derive P t (p t)) -> F 0 = P 0 -> tayl f p n B w -> tayl F P (S n) (B / INR (S n)) w.
Proof.
  intros DF DP Z H v V.
  assert (G : Rabs (F v - P v) <= Rabs v ^ S n * (B / INR (S n))).
  { destruct (Rle_or_lt 0 v) as [Sv | Sv].
    - rewrite (Rabs_pos_eq v) in * by exact Sv. apply (tayl_side F f P p n B w); try lra.
      intros t T. apply DF. apply Rabs_le. lra. intros t T. apply DP. apply Rabs_le. lra.
      intros t T. destruct (H t) as (s & Bs & E). apply Rabs_le. lra. rewrite E.
      replace (p t + t ^ n * s - p t) with (t ^ n * s) by ring. rewrite Rabs_mult, (Rabs_pos_eq (t ^ n)) by (apply pow_le; lra).
      apply Rmult_le_compat_l. apply pow_le. lra. exact Bs.
    - rewrite (Rabs_left v) in * by exact Sv. replace (F v - P v) with ((fun t => F (- t)) (- v) - (fun t => P (- t)) (- v)) by (cbv beta; rewrite Ropp_involutive; ring).
      apply (tayl_side (fun t => F (- t)) (fun t => - f (- t)) (fun t => P (- t)) (fun t => - p (- t)) n B w); try lra.
      + intros t T. apply (d_eq _ _ (f (- t) * - 1)); [| ring]. apply (d_comp (fun t => - t) F). apply d_opp. apply d_id. apply DF. apply Rabs_le. lra.
      + intros t T. apply (d_eq _ _ (p (- t) * - 1)); [| ring]. apply (d_comp (fun t => - t) P). apply d_opp. apply d_id. apply DP. apply Rabs_le. lra.
      + rewrite Ropp_0. exact Z.
      + intros t T. destruct (H (- t)) as (s & Bs & E). apply Rabs_le. lra. rewrite E.
        replace (- (p (- t) + (- t) ^ n * s) - - p (- t)) with (- ((- t) ^ n * s)) by ring.
        rewrite Rabs_Ropp, Rabs_mult, <- RPow_abs, Rabs_Ropp, (Rabs_pos_eq t) by lra.
        apply Rmult_le_compat_l. apply pow_le. lra. exact Bs. }
  destruct (Req_dec v 0) as [Q | Q].
  - exists 0. split. rewrite Rabs_R0. rewrite Q, Rabs_R0, pow_ne_zero, Rmult_0_l in G by discriminate.
    destruct (H v V) as (s & Bs & _). apply Rmult_le_pos. pose proof (Rabs_pos s). lra. left. apply Rinv_0_lt_compat. apply lt_0_INR. lia.
    rewrite Q, Z. ring.
  - assert (W : v ^ S n <> 0) by (apply pow_nonzero; exact Q).
    exists ((F v - P v) / v ^ S n). split; [| field; exact W].
    unfold Rdiv. rewrite Rabs_mult, Rabs_inv. apply (Rmult_le_reg_r (Rabs (v ^ S n))). apply Rabs_pos_lt. exact W.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (apply Rabs_no_R0; exact W). rewrite <- RPow_abs, Rmult_comm. exact G.
Qed.
Fixpoint rfact (n : nat) : R := match n with O => 1 | S k => rfact k * INR (S k) end.
Lemma rfact_pos n : 0 < rfact n.
Proof. induction n as [| n IH]. simpl. lra. cbn [rfact]. apply Rmult_lt_0_compat. exact IH. apply lt_0_INR. lia. Qed.
Lemma d_term (c x : R) k : is_derive (fun t : R => c * t ^ S k) x (c * INR (S k) * x ^ k).
Proof. eapply d_eq; [d_find | simpl Nat.pred; ring]. Qed.
(* a polynomial by its coefficients, those of degree < n *)
Fixpoint poly (c : nat -> R) (n : nat) (v : R) : R := match n with O => 0 | S k => poly c k v + c k * v ^ k end.
Lemma poly_0 c n : poly c (S n) 0 = c O.
Proof. induction n as [| n IH]. simpl. ring. cbn [poly] in *. rewrite IH, pow_ne_zero by discriminate. ring. Qed.
Lemma poly_derive c d n x : (forall k, c (S k) * INR (S k) = d k) -> is_derive (poly c (S n)) x (poly d n x).
Proof.
  intros H. induction n as [| n IH]. cbn [poly]. apply (is_derive_ext (fun _ => c O)). intros t. simpl. lra. apply d_const.
  change (is_derive (fun t => poly c (S n) t + c (S n) * t ^ S n) x (poly d n x + d n * x ^ n)).
  apply d_plus. exact IH. rewrite <- H. apply d_term.
Qed.
Definition exp_c (k : nat) : R := / rfact k.
Lemma exp_c_step k : exp_c (S k) * INR (S k) = exp_c k.
Proof. unfold exp_c. cbn [rfact]. pose proof (rfact_pos k). field. split; [lra | apply not_0_INR; discriminate]. Qed.
Lemma exp_tayl n w : tayl exp (poly exp_c n) n (exp w / rfact n) w.
Proof.
  induction n as [| n IH].
  - intros v V. exists (exp v). simpl. split. rewrite Rabs_pos_eq by (left; apply exp_pos). unfold Rdiv. rewrite Rinv_1, Rmult_1_r.
    apply exp_le. apply Rabs_le_between in V. lra. ring.
  - replace (exp w / rfact (S n)) with (exp w / rfact n / INR (S n)).
    apply (tayl_integral exp exp (poly exp_c (S n)) (poly exp_c n)). intros. apply is_derive_Reals. apply derivable_pt_lim_exp.
    intros. apply poly_derive. apply exp_c_step. rewrite poly_0, exp_0. unfold exp_c. simpl. lra. exact IH.
    cbn [rfact]. pose proof (rfact_pos n). field. split; first [lra | apply not_0_INR; discriminate].
Qed.
Definition geo_c (k : nat) : R := (-1) ^ k.
Lemma geo_sum n v : 1 + v <> 0 -> / (1 + v) = poly geo_c n v + v ^ n * ((-1) ^ n * / (1 + v)).
Proof. intros P. induction n as [| n IH]. simpl. ring. rewrite IH at 1. cbn [poly]. unfold geo_c. simpl. field. exact P. Qed.
Lemma geo_tayl n w : w < 1 -> tayl (fun v => / (1 + v)) (poly geo_c n) n (/ (1 - w)) w.
Proof.
  intros W v V. apply Rabs_le_between in V. exists ((-1) ^ n * / (1 + v)). split; [| apply geo_sum; lra].
  rewrite Rabs_mult, pow_1_abs, Rmult_1_l, Rabs_pos_eq by (left; apply Rinv_0_lt_compat; lra). apply Rinv_le_contravar; lra.
Qed.
Definition log_c (k : nat) : R := match k with O => 0 | S j => (-1) ^ j / INR (S j) end.
Lemma log_c_step k : log_c (S k) * INR (S k) = geo_c k.
Proof. unfold log_c, geo_c. field. apply not_0_INR. discriminate. Qed.
Lemma log_tayl n w : w < 1 -> tayl (fun v => ln (1 + v)) (poly log_c (S n)) (S n) (/ (1 - w) / INR (S n)) w.
Proof.
  intros W. apply (tayl_integral _ (fun v => / (1 + v)) _ (poly geo_c n)).
  - intros t T. apply Rabs_le_between in T. eapply d_eq; [d_find; lra | ring].
  - intros t _. apply poly_derive. apply log_c_step.
  - rewrite poly_0, Rplus_0_r, ln_1. reflexivity.
  - apply geo_tayl. exact W.
Qed.
(* 1 / (1 + t ^ 2) and the arctangent, in powers of t *)
Fixpoint sq_c (k : nat) : R := match k with O => 1 | S O => 0 | S (S j) => - sq_c j end.
Lemma sq_poly m v : / (1 + v ^ 2) = poly sq_c (2 * m) v + v ^ (2 * m) * ((-1) ^ m * / (1 + v ^ 2)).
Proof.
  assert (P : 1 + v ^ 2 <> 0) by (pose proof (pow2_ge_0 v); lra).
  assert (C : forall k, sq_c (2 * k) = (-1) ^ k /\ sq_c (2 * k + 1) = 0).
  { induction k as [| k [A B]]. split; reflexivity. replace (2 * S k)%nat with (S (S (2 * k))) by lia.
    replace (S (S (2 * k)) + 1)%nat with (S (S (2 * k + 1))) by lia. cbn [sq_c]. rewrite A, B. split; simpl; ring. }
  induction m as [| m IH]. simpl. field. simpl in P. lra.
  rewrite IH at 1. replace (2 * S m)%nat with (S (S (2 * m))) by lia. cbn [poly].
  destruct (C m) as [A B]. replace (S (2 * m)) with (2 * m + 1)%nat by lia. rewrite A, B.
  replace (v ^ S (2 * m + 1)) with (v ^ (2 * m) * v ^ 2) by (rewrite <- pow_add; f_equal; lia). simpl ((-1) ^ S m). field. exact P.
Qed.
Lemma sq_tayl m w : tayl (fun v => / (1 + v ^ 2)) (poly sq_c (2 * m)) (2 * m) 1 w.
Proof.
  intros v _. exists ((-1) ^ m * / (1 + v ^ 2)). split; [| apply sq_poly].
  pose proof (pow2_ge_0 v). rewrite Rabs_mult, pow_1_abs, Rmult_1_l, Rabs_pos_eq by (left; apply Rinv_0_lt_compat; lra).
  rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
Qed.
Definition atan_c (k : nat) : R := match k with O => 0 | S j => sq_c j / INR (S j) end.
Lemma atan_tayl m w : tayl atan (poly atan_c (S (2 * m))) (S (2 * m)) (1 / INR (S (2 * m))) w.
Proof.
  apply (tayl_integral _ (fun v => / (1 + v ^ 2)) _ (poly sq_c (2 * m))).
  - intros t T. eapply d_eq; [apply (d_atan (fun t => t)), d_id | ring].
  - intros t _. apply poly_derive. intros k. unfold atan_c. field. apply not_0_INR. discriminate.
  - rewrite poly_0, atan_0. reflexivity.
  - apply sq_tayl.
Qed.
Fixpoint sin_c (k : nat) : R := match k with O => 0 | S j => cos_c j / INR (S j) end
with cos_c (k : nat) : R := match k with O => 1 | S j => - sin_c j / INR (S j) end.
Lemma waves_tayl n w : tayl sin (poly sin_c n) n (/ rfact n) w /\ tayl cos (poly cos_c n) n (/ rfact n) w.
Proof.
  induction n as [| n [A B]].
  - split; intros v _; [exists (sin v) | exists (cos v)]; simpl; (split; [| ring]); rewrite Rinv_1; apply Rabs_le.
    apply SIN_bound. apply COS_bound.
  - assert (E : / rfact (S n) = / rfact n / INR (S n)).
    { cbn [rfact]. pose proof (rfact_pos n). field. split; first [lra | apply not_0_INR; discriminate]. }
    rewrite E. split.
    + apply (tayl_integral sin cos _ (poly cos_c n)). intros. apply is_derive_Reals. apply derivable_pt_lim_sin.
      intros. apply poly_derive. intros k. cbn [sin_c]. field. apply not_0_INR. discriminate.
      rewrite poly_0, sin_0. reflexivity. exact B.
    + apply (tayl_integral cos (fun t => - sin t) _ (fun t => - poly sin_c n t)). intros. apply is_derive_Reals. apply derivable_pt_lim_cos.
      * intros t _. apply (d_eq _ _ (poly (fun k => - sin_c k) n t)). apply poly_derive. intros k. cbn [cos_c]. field. apply not_0_INR. discriminate.
        clear. induction n as [| n IH]. simpl. ring. cbn [poly]. rewrite IH. ring.
      * rewrite poly_0, cos_0. reflexivity.
      * intros v V. destruct (A v V) as (s & Bs & Es). exists (- s). rewrite Rabs_Ropp. split. exact Bs. rewrite Es. ring.
Qed.
Fixpoint pow_c (a : R) (k : nat) : R := match k with O => 1 | S j => pow_c a j * (a - INR j) / INR (S j) end.
Lemma pow_c_step a k : pow_c a (S k) * INR (S k) = a * pow_c (a - 1) k.
Proof.
  induction k as [| k IH]. simpl. field. cbn [pow_c] in *.
  replace (a - 1 - INR k) with (a - INR (S k)) by (rewrite S_INR; ring).
  assert (N : INR (S k) <> 0) by (apply not_0_INR; discriminate). assert (N' : INR (S (S k)) <> 0) by (apply not_0_INR; discriminate).
  replace (pow_c a k * (a - INR k) / INR (S k) * (a - INR (S k)) / INR (S (S k)) * INR (S (S k))) with (pow_c a k * (a - INR k) / INR (S k) * INR (S k) * ((a - INR (S k)) / INR (S k))) by (field; auto).
  rewrite IH. field. auto.
Qed.
Lemma rpw_near w v b : 0 <= w < 1 -> Rabs v <= w -> rpw (1 + v) b <= exp (Rabs b * - ln (1 - w)).
Proof.
  intros W V. apply Rabs_le_between in V. rewrite rpw_exp by lra. apply exp_le.
  apply Rle_trans with (Rabs (b * ln (1 + v))). apply Rle_abs. rewrite Rabs_mult. apply Rmult_le_compat_l. apply Rabs_pos.
  apply Rabs_le. assert (A : ln (1 - w) <= ln (1 + v)) by (apply ln_le_0; lra).
  assert (B : ln (1 + v) <= ln (/ (1 - w))).
  { apply ln_le_0. lra. apply (Rmult_le_reg_r (1 - w)). lra. rewrite Rinv_l by lra. nra. }
  rewrite ln_Rinv in B by lra. lra.
Qed.
Lemma pow_tayl n : forall a w, 0 <= w < 1 -> tayl (fun v => rpw (1 + v) a) (poly (pow_c a) n) n (Rabs (pow_c a n) * exp (Rabs (a - INR n) * - ln (1 - w))) w.
Proof.
  induction n as [| n IH]; intros a w W.
  - intros v V. exists (rpw (1 + v) a). split. rewrite Rabs_pos_eq by apply rpw_nonneg. simpl. rewrite Rabs_R1, Rmult_1_l, Rminus_0_r. apply rpw_near; assumption. simpl. ring.
  - replace (Rabs (pow_c a (S n)) * exp (Rabs (a - INR (S n)) * - ln (1 - w))) with
      (Rabs a * (Rabs (pow_c (a - 1) n) * exp (Rabs (a - 1 - INR n) * - ln (1 - w))) / INR (S n)).
    2: { replace (a - 1 - INR n) with (a - INR (S n)) by (rewrite S_INR; ring).
         rewrite <- Rmult_assoc, <- Rabs_mult, <- pow_c_step, Rabs_mult, (Rabs_pos_eq (INR (S n))) by apply pos_INR.
         field. apply not_0_INR. discriminate. }
    apply (tayl_integral _ (fun v => a * rpw (1 + v) (a - 1)) _ (fun v => a * poly (pow_c (a - 1)) n v)).
    + intros t T. apply Rabs_le_between in T. eapply d_eq; [d_find; lra | ring].
    + intros t _. apply (d_eq _ _ (poly (fun k => a * pow_c (a - 1) k) n t)). apply poly_derive. apply pow_c_step.
      clear. induction n as [| n IH]. simpl. ring. cbn [poly]. rewrite IH. ring.
    + rewrite poly_0, Rplus_0_r, rpw_base_one. reflexivity.
    + intros v V. destruct (IH (a - 1) w W v V) as (s & Bs & E). exists (a * s). rewrite Rabs_mult. split.
      apply Rmult_le_compat_l. apply Rabs_pos. exact Bs. rewrite E. ring.
Qed.
(* exponentials beat powers; a power beats the logarithm *)
Lemma exp_beats n y : 0 < y -> exp (- y) <= rfact n / y ^ n.
Proof.
  intros Y. assert (P : 0 < y ^ n) by (apply pow_lt; exact Y). apply le_over. exact P.
  assert (H : forall n t, 0 <= t -> t ^ n <= rfact n * exp t).
  { clear. induction n as [| n IH]; intros t T. simpl. pose proof (exp_ge_1 t T). lra.
    assert (G : (fun t => rfact (S n) * exp t - t ^ S n) 0 <= (fun t => rfact (S n) * exp t - t ^ S n) t).
    { apply (rising (fun t => rfact (S n) * exp t - t ^ S n) (fun t => INR (S n) * (rfact n * exp t - t ^ n)) 0 t T).
      - intros u _. eapply d_eq; [d_find | cbn [rfact]; simpl Nat.pred; ring].
      - intros u U. apply Rmult_le_pos. apply pos_INR. specialize (IH u ltac:(lra)). lra. }
    cbv beta in G. rewrite exp_0, Rmult_1_r, pow_ne_zero in G by discriminate. pose proof (rfact_pos (S n)). lra. }
  specialize (H n y ltac:(lra)). rewrite exp_Ropp. apply (Rmult_le_reg_r (exp y)). apply exp_pos.
  replace (/ exp y * y ^ n * exp y) with (y ^ n) by (field; apply Rgt_not_eq; apply exp_pos). exact H.
Qed.
Lemma exp_vanishes n d N g w c y : 0 < g <= w -> 0 < c -> c / g ^ d <= y -> (N <= d * n)%nat ->
  exp (- y) / g ^ N <= rfact n / c ^ n * w ^ (d * n - N).
Proof.
  intros [G W] C H L. assert (P : 0 < g ^ d) by (apply pow_lt; exact G). assert (Q : 0 < c / g ^ d) by (apply Rdiv_lt_0_compat; assumption).
  assert (PN : 0 < g ^ N) by (apply pow_lt; exact G).
  apply Rle_trans with (rfact n / (c / g ^ d) ^ n / g ^ N).
  - apply Rmult_le_compat_r. left. apply Rinv_0_lt_compat. exact PN.
    apply Rle_trans with (exp (- (c / g ^ d))). apply exp_le. lra. apply exp_beats. exact Q.
  - assert (E : rfact n / (c / g ^ d) ^ n / g ^ N = rfact n / c ^ n * g ^ (d * n - N)).
    { unfold Rdiv. rewrite Rpow_mult_distr, pow_inv, <- pow_mult. 
      replace (g ^ (d * n)) with (g ^ N * g ^ (d * n - N)) by (rewrite <- pow_add; f_equal; lia). field.
      repeat split; try (apply pow_nonzero; lra). }
    rewrite E. apply Rmult_le_compat_l. left. apply Rdiv_lt_0_compat. apply rfact_pos. apply pow_lt. exact C.
    apply pow_incr. lra.
Qed.
Lemma log_product_any g : 0 < g -> g * - ln g <= exp (-1).
Proof.
  intros G. assert (P : 0 < exp (-1) / g) by (apply Rdiv_lt_0_compat; [apply exp_pos | exact G]).
  pose proof (ln_below _ P) as B. rewrite ln_div_pos, ln_exp in B by (try apply exp_pos; exact G).
  apply (Rmult_le_compat_l g) in B; [| lra]. replace (g * (exp (-1) / g - 1)) with (exp (-1) - g) in B by (field; lra). lra.
Qed.
Lemma log_product g w : 0 < g <= w -> w <= 1 / 3 -> 0 <= g * - ln g <= w * - ln w.
Proof.
  intros [G W] H. split. apply Rmult_le_pos. lra. assert (ln g <= 0) by (apply ln_nonpos; lra). lra.
  apply (rising (fun t => t * - ln t) (fun t => - ln t - 1) g w W).
  - intros t T. eapply d_eq; [d_find; lra | field; lra].
  - intros t T. assert (ln t <= ln (1 / 3)) by (apply ln_le_0; lra). assert (ln (1 / 3) <= -1) by interval. lra.
Qed.
Lemma root_of q h : 0 < h -> exists g, 0 < g /\ h = g ^ S q /\ ln h = INR (S q) * ln g.
Proof.
  intros H. exists (exp (ln h / INR (S q))). assert (N : INR (S q) <> 0) by (apply not_0_INR; discriminate).
  split. apply exp_pos. split. apply same_ln. exact H. apply pow_lt. apply exp_pos.
  rewrite ln_pow_nat by apply exp_pos. rewrite ln_exp. field. exact N. rewrite ln_exp. field. exact N.
Qed.
Lemma root_below q g w : 0 < g -> 0 <= w -> g ^ S q <= w ^ S q -> g <= w.
Proof. intros G. apply by_nth_le. lra. Qed.
Lemma exp_many k y : exp y ^ k = exp (INR k * y).
Proof. apply same_ln. apply pow_lt, exp_pos. apply exp_pos. rewrite ln_pow_nat, !ln_exp by apply exp_pos. reflexivity. Qed.
Lemma atan_beyond y : 0 < y -> atan y = PI / 2 - atan (/ y).
Proof. intros Y. rewrite atan_inv by exact Y. ring. Qed.
Lemma atan_before y : y < 0 -> atan y = - (PI / 2) - atan (/ y).
Proof.
  intros Y. replace y with (- - y) at 1 by ring. rewrite atan_opp, atan_beyond by lra.
  replace (/ - y) with (- / y) by (field; lra). rewrite atan_opp. ring.
Qed.
Lemma sin_tayl n w : tayl sin (poly sin_c n) n (/ rfact n) w.
Proof. apply waves_tayl. Qed.
Lemma cos_tayl n w : tayl cos (poly cos_c n) n (/ rfact n) w.
Proof. apply waves_tayl. Qed.
Lemma over_is a b c : c = / b -> a / b = a * c.
Proof. intros ->. reflexivity. Qed.
Lemma inverse_below x w : 0 < w -> / w <= x -> / x <= w.
Proof. intros W H. rewrite <- (Rinv_involutive w) by lra. apply Rinv_le_contravar. apply Rinv_0_lt_compat. exact W. exact H. Qed.
Ltac bc_expand_side := first [assumption | lra | bc_sgn | interval].
Lemma exp_positive p : exp (IZR (Zpos p)) = exp 1 ^ Pos.to_nat p.
Proof. rewrite exp_many, Rmult_1_r, INR_IZR_INZ, positive_nat_Z. reflexivity. Qed.
Lemma exp_negative p : exp (IZR (Zneg p)) = / exp 1 ^ Pos.to_nat p.
Proof. change (IZR (Zneg p)) with (- IZR (Zpos p)). rewrite exp_Ropp, exp_positive. reflexivity. Qed.
Ltac bc_exp_numbers := rewrite ?exp_Ropp;
  repeat match goal with
  | |- context [exp (IZR (Zpos ?p))] => lazymatch p with xH => fail | _ =>
      let n := eval vm_compute in (Pos.to_nat p) in replace (exp (IZR (Zpos p))) with (exp 1 ^ n) by (symmetry; apply (exp_positive p)) end
  | |- context [exp (IZR (Zneg ?p))] =>
      let n := eval vm_compute in (Pos.to_nat p) in replace (exp (IZR (Zneg p))) with (/ exp 1 ^ n) by (symmetry; apply (exp_negative p))
  end.
(* the roots of PI as one *)
Lemma rpw_halves x q n : 0 < x -> 2 * q = INR n -> rpw x q = rpw x (1 / 2) ^ n.
Proof. intros X Q. assert (P := rpw_pos x (1 / 2) X). apply same_ln. apply rpw_pos. exact X. apply pow_lt. exact P. rewrite ln_pow_nat, !ln_rpw by assumption. rewrite <- Q. field. Qed.
Lemma rpw_over x q n : 0 < x -> - (2 * q) = INR n -> rpw x q = / rpw x (1 / 2) ^ n.
Proof. intros X Q. assert (P := rpw_pos x (1 / 2) X). rewrite <- (rpw_halves x (- q) n X) by lra. apply same_ln. apply rpw_pos. exact X. apply Rinv_0_lt_compat, rpw_pos. exact X. rewrite ln_Rinv, !ln_rpw by (try apply rpw_pos; exact X). ring. Qed.
Lemma rpw_half_square : rpw PI (1 / 2) ^ 2 = PI.
Proof. pose proof PI_RGT_0. rewrite rpw_half by lra. apply pow2_sqrt. lra. Qed.
Ltac bc_pi_power q n := first [rewrite (rpw_over PI q n) by first [apply PI_RGT_0 | simpl INR; lra] | rewrite (rpw_halves PI q n) by first [apply PI_RGT_0 | simpl INR; lra]].
Ltac bc_pi_roots := match goal with |- context [rpw PI _] => idtac end;
  repeat match goal with |- context [rpw PI ?q] => lazymatch q with 1 / 2 => fail | _ => first [bc_pi_power q 1%nat | bc_pi_power q 3%nat | bc_pi_power q 5%nat | bc_pi_power q 7%nat | bc_pi_power q 9%nat] end end;
  rewrite <- ?(rpw_half PI) by (left; apply PI_RGT_0); field [rpw_half_square]; repeat split; bc_expand_side.
Ltac bc_expand_equal := first [ring | field; repeat split; bc_expand_side | bc_pi_roots
  | progress bc_exp_numbers; field; repeat split; bc_expand_side | bc_equal].
Ltac bc_expand_bound := bc_to_exp; first [interval | interval with (i_prec 90) | lra].
Ltac bc_expand_log := match goal with H : ?h <= ?w |- ?l <= - ln ?h => apply Rle_trans with (- ln w); [interval | apply Ropp_le_contravar; apply ln_le_0; assumption] end.
Lemma product_bound q g w b : 0 < g <= w -> 0 <= - ln g -> 0 < q -> (w <= 1 / 3 -> q * (w * - ln w) <= b) -> (1 / 3 < w -> q * exp (-1) <= b) -> 0 <= q * (g * - ln g) <= b.
Proof.
  intros [G W] N Q A B. split. apply Rmult_le_pos. lra. apply Rmult_le_pos; lra.
  destruct (Rle_or_lt w (1 / 3)) as [C | C].
  - apply Rle_trans with (q * (w * - ln w)). apply Rmult_le_compat_l. lra. apply log_product. split; assumption. exact C. apply A. exact C.
  - apply Rle_trans with (q * exp (-1)). apply Rmult_le_compat_l. lra. apply log_product_any. exact G. apply B. exact C.
Qed.
Ltac bc_expand_product w := match goal with |- 0 <= _ * (?g * - ln ?g) <= _ => apply (product_bound _ g w);
  [split; assumption | match goal with L : ln g = _ |- _ => rewrite L; lra end | lra | intros; first [lra | interval] | intros; first [lra | interval]] end.
Ltac bc_root_field := rewrite ?(rpw_half 2), ?(rpw_half 3) by lra;
  first [lra | match goal with |- context [sqrt ?n] => assert (sqrt n * sqrt n = n) by (apply sqrt_sqrt; lra); assert (sqrt n <> 0) by (apply Rgt_not_eq, sqrt_lt_R0; lra);
    apply (Rmult_eq_reg_r (sqrt n)); [field_simplify; [lra | ..]; try assumption | assumption] end].
Ltac bc_angle := match goal with |- sin ?t = _ => bc_turn ltac:(field) t | |- cos ?t = _ => bc_turn ltac:(field) t end; first [reflexivity | lra | bc_root_field | bc_equal].
Ltac bc_expand_unfold := unfold tan, tanh, sinh, cosh;
  repeat match goal with
  | |- context [acos ?x] => rewrite (acos_asin x) by (split; bc_expand_side)
  | |- context [asin ?x] => rewrite (asin_atan x) by (split; bc_expand_side); rewrite (Rsqr_pow2 x)
  end.
(* a hypothesis between a and b that fails on the box *)
Ltac bc_fails_by := first [lra | bc_bounds; bc_to_exp; first [interval | bc_gap; interval | nra] | bc_side].
Ltac bc_against a b tac := match goal with
  | H : a <= b |- _ => cut (b < a); [lra |]; tac
  | H : a < b |- _ => cut (b <= a); [lra |]; tac
  | H : a >= b |- _ => cut (a < b); [lra |]; tac
  | H : a > b |- _ => cut (a <= b); [lra |]; tac
  | H : a = b |- _ => first [cut (a < b); [lra |]; tac | cut (b < a); [lra |]; tac]
  end.
Ltac bc_fails a b := bc_against a b bc_fails_by.

(* a bound of a variable: beyond it some hypothesis fails *)
Ltac bc_beyond := match goal with
  | |- ?a <= ?b => apply Rnot_lt_le; let N := fresh "N" in intros N
  | |- ?a < ?b => apply Rnot_le_lt; let N := fresh "N" in intros N
  end; repeat match goal with
  | N : ?b <= ?x, D : ?x <> ?b |- _ => apply Rle_lt_or_eq_dec in N; destruct N as [N | N]; [| exfalso; apply D; symmetry; exact N]
  | N : ?x <= ?b, D : ?x <> ?b |- _ => apply Rle_lt_or_eq_dec in N; destruct N as [N | N]; [| exfalso; apply D; exact N]
  end.
Ltac bc_narrow a b v := bc_beyond; bc_against a b ltac:(first [lra | timeout 5 bc_sgn | bc_bounds; bc_to_exp; first [timeout 4 interval | bc_gap; timeout 4 interval with (i_bisect v, i_autodiff v, i_prec 80)]
  | timeout 5 (bc_over; first [lra | nra]) | timeout 5 (progress bc_inverses; nra)]).

(* ------------------------------------------------------------------ integrals and sums *)

(* the improper integral over an open range: both ends are approached from inside; over nothing it is 0, and from a
   larger to a smaller end it is the negative of the one from the smaller to the larger *)
Definition from (a : Rbar) : (R -> Prop) -> Prop := match a with Finite x => at_right x | _ => Rbar_locally a end.
Definition upto (b : Rbar) : (R -> Prop) -> Prop := match b with Finite x => at_left x | _ => Rbar_locally b end.
Definition isInt (f : R -> R) (a b : Rbar) (v : R) : Prop := (a = b /\ v = 0) \/ (Rbar_lt a b /\ is_RInt_gen f (from a) (upto b) v)
  \/ (Rbar_lt b a /\ is_RInt_gen f (from b) (upto a) (- v)).
Definition Int (f : R -> R) (a b : Rbar) : R := iota (isInt f a b).
Definition ex_Int (f : R -> R) (a b : Rbar) : Prop := exists v, isInt f a b v.
(* a property at every place of the open range *)
Definition on_range (a b : Rbar) (P : R -> Prop) : Prop := forall t : R, Rbar_lt a t -> Rbar_lt t b -> P t.
(* the same between two ends in any order *)
Definition between (a b : Rbar) (P : R -> Prop) : Prop := on_range a b P /\ on_range b a P.
Lemma from_proper a : ProperFilter (from a).
Proof. destruct a; simpl; apply _. Qed.
Lemma upto_proper b : ProperFilter (upto b).
Proof. destruct b; simpl; apply _. Qed.
#[global] Existing Instance from_proper.
#[global] Existing Instance upto_proper.
Lemma Rbar_lt_same a : ~ Rbar_lt a a.
Proof. destruct a; simpl; lra. Qed.
Lemma Rbar_lt_not_lt a b : Rbar_lt a b -> ~ Rbar_lt b a.
Proof. destruct a, b; simpl; try lra; try contradiction; auto. Qed.
Lemma Rbar_le_not_lt' a b : Rbar_le a b -> ~ Rbar_lt b a.
Proof. destruct a, b; simpl; try lra; try contradiction; auto. Qed.
Lemma between_of a b P : Rbar_le a b -> on_range a b P -> between a b P.
Proof.
  intros L H. split. exact H. intros t A B. exfalso. apply (Rbar_le_not_lt' a b L). apply (Rbar_lt_trans _ t); assumption.
Qed.
Lemma between_turned a b P : between b a P -> between a b P.
Proof. intros [A B]. split; assumption. Qed.
Lemma isInt_turned f a b v : isInt f b a v -> isInt f a b (- v).
Proof.
  intros [[E V] | [[L V] | [L V]]].
  - left. split. symmetry. exact E. rewrite V. ring.
  - right. right. split. exact L. rewrite Ropp_involutive. exact V.
  - right. left. split; assumption.
Qed.
Lemma isInt_same f a b v w : isInt f a b v -> isInt f a b w -> v = w.
Proof.
  intros [[E V] | [[L V] | [L V]]] [[E' W] | [[L' W] | [L' W]]]; subst; try reflexivity;
    try (exfalso; eapply Rbar_lt_same; eassumption); try (exfalso; eapply Rbar_lt_not_lt; eassumption).
  - rewrite <- (is_RInt_gen_unique f v V), <- (is_RInt_gen_unique f w W). reflexivity.
  - pose proof (is_RInt_gen_unique f _ V) as A. pose proof (is_RInt_gen_unique f _ W) as B. lra.
Qed.
Lemma Int_value f a b v : isInt f a b v -> Int f a b = v.
Proof. intros H. apply (iota_unique (V := R_CompleteNormedModule)); [| exact H]. intros y Y. apply (isInt_same f a b); assumption. Qed.
Lemma Int_exists f a b v : isInt f a b v -> ex_Int f a b.
Proof. intros H. exists v. exact H. Qed.
Lemma ex_Int_is f a b : ex_Int f a b -> isInt f a b (Int f a b).
Proof. intros [v H]. rewrite (Int_value f a b v H). exact H. Qed.
Lemma ex_Int_turned f a b : ex_Int f b a -> ex_Int f a b.
Proof. intros [v V]. exists (- v). apply isInt_turned. exact V. Qed.
Lemma Int_turned f a b : ex_Int f a b -> Int f a b = - Int f b a.
Proof. intros H. apply Int_value. apply isInt_turned. apply ex_Int_is. apply ex_Int_turned. exact H. Qed.
Lemma isInt_as f a b v w : isInt f a b v -> v = w -> isInt f a b w.
Proof. intros H <-. exact H. Qed.
(* near its ends a range lies in the open range, and so does what is between two places there *)
Lemma from_inside a b : Rbar_lt a b -> from a (fun x => Rbar_lt a x /\ Rbar_lt x b).
Proof.
  intros L. destruct a as [a | |]; simpl; [| contradiction |].
  - apply (filter_imp (F := locally a) _ _ (fun x X Y => conj Y X) (open_Rbar_lt' (Finite a) b L)).
  - apply (filter_imp (F := Rbar_locally m_infty) _ _ (fun x X => conj I X) (open_Rbar_lt' m_infty b L)).
Qed.
Lemma upto_inside a b : Rbar_lt a b -> upto b (fun x => Rbar_lt a x /\ Rbar_lt x b).
Proof.
  intros L. destruct b as [b | |]; simpl; [| | destruct a; contradiction].
  - apply (filter_imp (F := locally b) _ _ (fun x X Y => conj X Y) (open_Rbar_gt' (Finite b) a L)).
  - apply (filter_imp (F := Rbar_locally p_infty) _ _ (fun x X => conj X I) (open_Rbar_gt' p_infty a L)).
Qed.
Lemma inside_two (a b : Rbar) (x y t : R) : Rbar_lt a x -> Rbar_lt x b -> Rbar_lt a y -> Rbar_lt y b -> Rmin x y <= t <= Rmax x y -> Rbar_lt a t /\ Rbar_lt t b.
Proof.
  intros A B C D [T1 T2]. split.
  - destruct a; simpl in *; try contradiction; try exact I. unfold Rmin in T1. destruct (Rle_dec x y); lra.
  - destruct b; simpl in *; try contradiction; try exact I. unfold Rmax in T2. destruct (Rle_dec x y); lra.
Qed.
Lemma ends_inside a b (P : R -> Prop) : Rbar_lt a b -> on_range a b P ->
  filter_prod (from a) (upto b) (fun ab => forall x, Rmin (fst ab) (snd ab) <= x <= Rmax (fst ab) (snd ab) -> P x).
Proof.
  intros L H. apply (Filter_prod _ _ _ _ _ (from_inside a b L) (upto_inside a b L)). intros x y [X1 X2] [Y1 Y2] t T.
  destruct (inside_two a b x y t X1 X2 Y1 Y2 T). apply H; assumption.
Qed.
Lemma near_inside a b (t : R) (P : R -> Prop) : on_range a b P -> Rbar_lt a t -> Rbar_lt t b -> locally t P.
Proof.
  intros H A B. assert (O : open (fun x : R => Rbar_lt a x /\ Rbar_lt x b)).
  { apply open_and. apply open_Rbar_gt. apply open_Rbar_lt. }
  apply (filter_imp (fun x : R => Rbar_lt a x /\ Rbar_lt x b)). intros x [X Y]. apply H; assumption.
  apply O. split; assumption.
Qed.
Lemma ex_RInt_inside f a b (x y : R) : on_range a b (fun t => continuity_pt f t) -> Rbar_lt a x -> Rbar_lt x b -> Rbar_lt a y -> Rbar_lt y b -> ex_RInt f x y.
Proof.
  intros C A B E D. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t T. apply continuity_pt_filterlim.
  destruct (inside_two a b x y t A B E D T). apply C; assumption.
Qed.
Lemma d_inside f a b (c x : R) : on_range a b (fun t => continuity_pt f t) -> Rbar_lt a c -> Rbar_lt c b -> Rbar_lt a x -> Rbar_lt x b ->
  is_derive (fun z => RInt f c z) x (f x).
Proof.
  intros C A B X Y. apply (is_derive_RInt f (fun z => RInt f c z) c); [| apply continuity_pt_filterlim; apply C; assumption].
  apply (near_inside a b); [| exact X | exact Y]. intros z Z1 Z2. apply (RInt_correct (V := R_CompleteNormedModule)). apply (ex_RInt_inside f a b); assumption.
Qed.
(* the integral from z to x is near v where x is near one end and z near the other *)
Definition ends_near (f : R -> R) (F N : (R -> Prop) -> Prop) (v : R) : Prop :=
  forall e : posreal, exists U W, F U /\ N W /\ forall x z : R, U x -> W z -> Rabs (RInt f z x - v) < e.
Lemma near_upper f F N v : is_RInt_gen f N F v -> ends_near f F N v.
Proof.
  intros H e. assert (L : locally v (fun y : R => Rabs (y - v) < e)) by (exists e; intros y Y; exact Y). destruct (H _ L) as [W U NW FU K].
  exists U, W. repeat split; try assumption. intros x z X Z. destruct (K z x Z X) as (i & I1 & I2). simpl in I1. rewrite (is_RInt_unique _ _ _ _ I1). exact I2.
Qed.
Lemma near_lower f F N v : is_RInt_gen f F N v -> ends_near f F N (- v).
Proof.
  intros H. apply near_upper. intros P HP. destruct (H (fun y => P (- y))) as [U W FU NW K].
  { assert (C : filterlim Ropp (locally v) (locally (- v))) by apply (filterlim_opp (V := R_NormedModule)). exact (C P HP). }
  apply (Filter_prod _ _ _ W U NW FU). intros z x Z X. destruct (K x z X Z) as (i & I1 & I2). exists (- i). split; [| exact I2]. apply (is_RInt_swap f). exact I1.
Qed.
Lemma end_lim f a b (c v : R) (F N : (R -> Prop) -> Prop) {FF : Filter F} {FN : ProperFilter N} :
  Rbar_lt a c -> Rbar_lt c b -> on_range a b (fun t => continuity_pt f t) -> F (fun x => Rbar_lt a x /\ Rbar_lt x b) -> (forall P, locally c P -> N P) ->
  ends_near f F N v -> filterlim (fun x => RInt f c x) F (locally v).
Proof.
  intros A B C I M H. apply filterlim_locally. intros e. assert (Half : 0 < e / 2) by (pose proof (cond_pos e); lra).
  destruct (H (mkposreal _ Half)) as (U & W & FU & NW & K). simpl in K.
  assert (Near : locally c (fun z : R => (Rbar_lt a z /\ Rbar_lt z b) /\ Rabs (RInt f c z) < e / 2)).
  { apply filter_and. apply (near_inside a b); try assumption. intros t T1 T2. split; assumption.
    assert (D := ex_derive_continuous (fun z => RInt f c z) c (ex_intro _ _ (d_inside f a b c c C A B A B))).
    apply (D (fun y => Rabs y < e / 2)). exists (mkposreal _ Half). intros y Y. bc_ball Y. rewrite RInt_point in Y. unfold zero in Y; simpl in Y.
    rewrite Ropp_0, Rplus_0_r in Y. exact Y. }
  destruct (filter_ex _ (filter_and _ _ NW (M _ Near))) as (z & WZ & [Z1 Z2] & Z3).
  generalize (filter_and _ _ FU I). apply filter_imp. intros x [UX [X1 X2]]. specialize (K x z UX WZ). change (Rabs (RInt f c x - v) < e).
  assert (Q : RInt f c x = RInt f c z + RInt f z x) by (symmetry; apply (RInt_Chasles f c z x); apply (ex_RInt_inside f a b); assumption).
  apply Rabs_def2 in K. apply Rabs_def2 in Z3. apply Rabs_def1; lra.
Qed.
(* the fundamental theorem: a primitive inside the range, and its limits at the ends *)
Theorem Int_primitive F f a b A B : Rbar_le a b -> on_range a b (fun t => is_derive F t (f t)) ->
  on_range a b (fun t => continuity_pt f t) -> filterlim F (from a) (locally A) -> filterlim F (upto b) (locally B) ->
  (a = b -> A = B) -> isInt f a b (B - A).
Proof.
  intros L D C LA LB Z. destruct (Rbar_le_lt_or_eq_dec a b L) as [S | S]; [right; left | left; split; [exact S | rewrite (Z S); ring]].
  split. exact S.
  apply (is_RInt_gen_ext (Derive F)).
  - assert (G := ends_inside a b (fun t => is_derive F t (f t)) S D). revert G. apply filter_imp. intros ab H x X.
    apply is_derive_unique. apply H. lra.
  - apply is_RInt_gen_Derive; try assumption.
    + assert (G := ends_inside a b (fun t => is_derive F t (f t)) S D). revert G. apply filter_imp. intros ab H x X. exists (f x). apply H. exact X.
    + assert (G : on_range a b (fun t => continuous (Derive F) t)).
      { intros t T1 T2. apply (continuous_ext_loc _ f). apply (near_inside a b); try assumption. intros x X1 X2. symmetry. apply is_derive_unique. apply D; assumption.
        apply continuity_pt_filterlim. apply C; assumption. }
      exact (ends_inside a b _ S G).
Qed.
Lemma lim_right F a : continuity_pt F a -> filterlim F (from (Finite a)) (locally (F a)).
Proof. intros C P HP. apply continuity_pt_filterlim in C. destruct (C P HP) as [e H]. exists e. intros y Y _. apply H. exact Y. Qed.
Lemma lim_left F b : continuity_pt F b -> filterlim F (upto (Finite b)) (locally (F b)).
Proof. intros C P HP. apply continuity_pt_filterlim in C. destruct (C P HP) as [e H]. exists e. intros y Y _. apply H. exact Y. Qed.
(* a limit by a rate: |F - L| <= B g where g ^ q is the distance *)
Lemma rate_small q B e : 0 < e -> 0 <= B -> exists d, 0 < d /\ forall g h, 0 <= g -> h = g ^ S q -> h < d -> B * g < e.
Proof.
  intros E P. set (r := e / (B + 1)). assert (0 < r) by (apply Rdiv_lt_0_compat; lra). exists (r ^ S q). split. apply pow_lt. assumption.
  intros g h G Q H1. assert (g < r). { destruct (Rlt_or_le g r) as [C | C]. exact C. exfalso. assert (r ^ S q <= g ^ S q) by (apply pow_incr; lra). lra. }
  apply Rle_lt_trans with ((B + 1) * g). nra. apply Rlt_le_trans with ((B + 1) * r). apply Rmult_lt_compat_l; lra. unfold r. apply Req_le. field. lra.
Qed.
Definition rate (q : nat) (B w L : R) (F : R -> R) (x : R -> R) : Prop := 0 <= B /\ 0 < w /\ forall h, 0 < h -> h <= w -> exists g, 0 <= g /\ h = g ^ S q /\ Rabs (F (x h) - L) <= B * g.
Lemma rate_lim q B w L F x : rate q B w L F x -> forall e : posreal, exists d, 0 < d /\ forall h, 0 < h < d -> Rabs (F (x h) - L) < e.
Proof.
  intros (P & W & H) e. destruct (rate_small q B e (cond_pos e) P) as (d & D & K). exists (Rmin d w). split. apply Rmin_pos; assumption.
  intros h [H0 H1]. pose proof (Rmin_l d w). pose proof (Rmin_r d w). destruct (H h) as (g & G & E & R); try lra.
  apply Rle_lt_trans with (B * g). exact R. apply (K g h G E). lra.
Qed.
Lemma rate_right q B w L F a : rate q B w L F (fun h => a + h) -> filterlim F (from (Finite a)) (locally L).
Proof.
  intros H. apply filterlim_locally. intros e. destruct (rate_lim _ _ _ _ _ _ H e) as (d & D & K). exists (mkposreal d D). intros y Y Z.
  unfold ball in *; simpl in *; unfold AbsRing_ball, abs, minus, plus, opp in *; simpl in *. apply Rabs_def2 in Y.
  specialize (K (y - a) ltac:(lra)). replace (a + (y - a)) with y in K by ring. exact K.
Qed.
Lemma rate_left q B w L F b : rate q B w L F (fun h => b - h) -> filterlim F (upto (Finite b)) (locally L).
Proof.
  intros H. apply filterlim_locally. intros e. destruct (rate_lim _ _ _ _ _ _ H e) as (d & D & K). exists (mkposreal d D). intros y Y Z.
  unfold ball in *; simpl in *; unfold AbsRing_ball, abs, minus, plus, opp in *; simpl in *. apply Rabs_def2 in Y.
  specialize (K (b - y) ltac:(lra)). replace (b - (b - y)) with y in K by ring. exact K.
Qed.
Lemma from_p q B w L F : rate q B w L F (fun h => / h) -> filterlim F (upto p_infty) (locally L).
Proof.
  intros H. apply filterlim_locally. intros e. destruct (rate_lim _ _ _ _ _ _ H e) as (d & D & K). exists (/ d). intros y Y.
  assert (0 < / d) by (apply Rinv_0_lt_compat; exact D). assert (y <> 0) by lra.
  specialize (K (/ y)). rewrite Rinv_involutive in K by assumption. apply K. split. apply Rinv_0_lt_compat. lra.
  rewrite <- (Rinv_involutive d) by lra. apply Rinv_lt_contravar. apply Rmult_lt_0_compat; lra. exact Y.
Qed.
Lemma from_m q B w L F : rate q B w L F (fun h => - / h) -> filterlim F (from m_infty) (locally L).
Proof.
  intros H P HP. destruct (from_p q B w L (fun y => F (- y)) H P HP) as [M D]. exists (- M). intros x X.
  rewrite <- (Ropp_involutive x). apply D. lra.
Qed.
Lemma lim_as (F : R -> R) (a : (R -> Prop) -> Prop) (L K : R) : filterlim F a (locally L) -> L = K -> filterlim F a (locally K).
Proof. intros H E. rewrite <- E. exact H. Qed.
(* a continuous integrand on a closed range *)
Lemma continued f a b : a <= b -> (forall t, a <= t <= b -> continuity_pt f t) ->
  exists g, (forall t, a <= t <= b -> g t = f t) /\ (forall u v, ex_RInt g u v) /\ forall u t, is_derive (fun x : R => RInt g u x) t (g t).
Proof.
  intros L C. set (g := extension_C0 f a b).
  assert (CC : forall t, continuous g t).
  { apply extension_C0_continuous. simpl. lra. intros x X Y. apply continuity_pt_filterlim. apply C. simpl in *. lra. }
  assert (X : forall u v, ex_RInt g u v) by (intros; apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply CC).
  exists g. split; [intros t T; apply extension_C0_ext; simpl; lra | split; [exact X |]].
  intros u t. apply (is_derive_RInt g (fun x => RInt g u x) u). apply filter_forall. intros y. apply (RInt_correct (V := R_CompleteNormedModule)). apply X. apply CC.
Qed.
Lemma Int_closed f a b : a <= b -> (forall t, a <= t <= b -> continuity_pt f t) -> isInt f a b (RInt f a b).
Proof.
  intros [L | L] C; [| left; split; [rewrite L; reflexivity | rewrite L; exact (RInt_point b f)]].
  destruct (continued f a b ltac:(lra) C) as (g & E & X & D).
  replace (RInt f a b) with (RInt g a b - RInt g a a).
  2: { rewrite (RInt_point a g). unfold zero; simpl. rewrite Rminus_0_r. apply RInt_ext. intros x I. rewrite Rmin_left, Rmax_right in I by lra. apply E. lra. }
  apply (Int_primitive (fun x => RInt g a x) f a b).
  - simpl. lra.
  - intros t T1 T2. simpl in *. rewrite <- E by lra. apply D.
  - intros t T1 T2. simpl in *. apply C. lra.
  - apply lim_right. eapply c_derive, D.
  - apply lim_left. eapply c_derive, D.
  - intros Q. injection Q as Q. lra.
Qed.
Lemma Int_ext f g a b v : Rbar_le a b -> on_range a b (fun t => f t = g t) -> isInt g a b v -> isInt f a b v.
Proof.
  intros L' H [[E V] | [[L V] | [L V]]]; [left | right; left | exfalso; apply (Rbar_le_not_lt' a b L' L)]; split; try assumption. apply (is_RInt_gen_ext g); [| exact V].
  assert (G := ends_inside a b (fun t => f t = g t) L H). revert G. apply filter_imp. intros ab K x X. symmetry. apply K. lra.
Qed.
Lemma Int_same_body f g a b : Rbar_le a b -> on_range a b (fun t => f t = g t) -> ex_Int g a b -> Int f a b = Int g a b.
Proof. intros L H E. apply Int_value. apply (Int_ext f g). exact L. exact H. apply ex_Int_is. exact E. Qed.
Lemma ex_Int_ext f g a b : Rbar_le a b -> on_range a b (fun t => f t = g t) -> ex_Int g a b -> ex_Int f a b.
Proof. intros L H [v V]. exists v. apply (Int_ext f g); assumption. Qed.
Lemma Int_split f a (c : R) b v w : isInt f a c v -> isInt f c b w -> Rbar_le a c -> Rbar_le c b ->
  on_range a b (fun t => continuity_pt f t) -> isInt f a b (v + w).
Proof.
  intros V W L M C. destruct V as [[E V] | [[A V] | [A V]]]; [| | exfalso; apply (Rbar_le_not_lt' _ _ L A)]. { subst. rewrite Rplus_0_l. exact W. }
  destruct W as [[E W] | [[B W] | [B W]]]; [| | exfalso; apply (Rbar_le_not_lt' _ _ M B)]. { rewrite E in *. subst w. rewrite Rplus_0_r. right; left. split; assumption. }
  assert (S : Rbar_lt a b) by (apply (Rbar_lt_trans a c b); assumption). apply (isInt_as _ _ _ (w - - v)); [| ring].
  apply (Int_primitive (fun x => RInt f c x)); try assumption.
  - apply Rbar_lt_le. exact S.
  - intros t T1 T2. apply (d_inside f a b); assumption.
  - apply (end_lim f a b c _ _ (upto c)); try assumption. apply from_inside. exact S. intros P [d D]. exists d. intros y Y _. exact (D y Y). apply near_lower. exact V.
  - apply (end_lim f a b c _ _ (from c)); try assumption. apply upto_inside. exact S. intros P [d D]. exists d. intros y Y _. exact (D y Y). apply near_upper. exact W.
  - intros Q. exfalso. rewrite Q in S. apply (Rbar_lt_same b S).
Qed.
(* comparison: what is dominated by something that exists exists *)
Lemma RInt_dominated f g (x y : R) : (forall t, Rmin x y <= t <= Rmax x y -> Rabs (f t) <= g t) -> ex_RInt f x y -> ex_RInt g x y -> Rabs (RInt f x y) <= Rabs (RInt g x y).
Proof.
  assert (K : forall u v, u <= v -> (forall t, u <= t <= v -> Rabs (f t) <= g t) -> ex_RInt f u v -> ex_RInt g u v -> Rabs (RInt f u v) <= Rabs (RInt g u v)).
  { intros u v L H F G. apply Rle_trans with (RInt (fun t => Rabs (f t)) u v). apply abs_RInt_le; assumption.
    eapply Rle_trans; [| apply Rle_abs]. apply RInt_le; try assumption.
    apply (ex_RInt_norm f u v F). intros t T. apply H. lra. }
  intros H F G. destruct (Rle_or_lt x y) as [L | L].
  - apply K; try assumption. intros t T. apply H. rewrite Rmin_left, Rmax_right by exact L. exact T.
  - rewrite <- (opp_RInt_swap f) by (apply ex_RInt_swap; exact F). rewrite <- (opp_RInt_swap g) by (apply ex_RInt_swap; exact G).
    unfold opp; simpl. rewrite !Rabs_Ropp. apply K; try lra. intros t T. apply H. rewrite Rmin_right, Rmax_left by lra. exact T.
    apply ex_RInt_swap. exact F. apply ex_RInt_swap. exact G.
Qed.
Theorem ex_Int_dominated f g a b : Rbar_le a b -> on_range a b (fun t => continuity_pt f t) -> on_range a b (fun t => continuity_pt g t) ->
  on_range a b (fun t => Rabs (f t) <= g t) -> ex_Int g a b -> ex_Int f a b.
Proof.
  intros L CF CG D [v V]. destruct V as [[E V] | [[A V] | [A V]]]; [exists 0; left; auto | | exfalso; apply (Rbar_le_not_lt' a b L A)].
  destruct (filter_ex _ (from_inside a b A)) as (c & C1 & C2).
  assert (IF : forall x y : R, Rbar_lt a x -> Rbar_lt x b -> Rbar_lt a y -> Rbar_lt y b -> ex_RInt f x y) by (intros; apply (ex_RInt_inside f a b); assumption).
  assert (IG : forall x y : R, Rbar_lt a x -> Rbar_lt x b -> Rbar_lt a y -> Rbar_lt y b -> ex_RInt g x y) by (intros; apply (ex_RInt_inside g a b); assumption).
  assert (M : forall x y : R, Rbar_lt a x -> Rbar_lt x b -> Rbar_lt a y -> Rbar_lt y b -> Rabs (RInt f c y - RInt f c x) <= Rabs (RInt g x y)).
  { intros x y X1 X2 Y1 Y2. assert (Q : RInt f c y = RInt f c x + RInt f x y) by (symmetry; apply (RInt_Chasles f c x y); apply IF; assumption).
    assert (K : forall p q r : R, r = p + q -> r - p = q) by (intros; lra). rewrite (K _ _ _ Q).
    apply RInt_dominated; [| apply IF; assumption | apply IG; assumption].
    intros t T. destruct (inside_two a b x y t X1 X2 Y1 Y2 T). apply D; assumption. }
  assert (Goes : forall (F N : (R -> Prop) -> Prop) w, ProperFilter F -> ProperFilter N -> F (fun x => Rbar_lt a x /\ Rbar_lt x b) -> N (fun x => Rbar_lt a x /\ Rbar_lt x b) ->
    ends_near g F N w -> exists B, filterlim (fun x => RInt f c x) F (locally B)).
  { intros F N w PF PN FI NI H. apply (filterlim_locally_cauchy (F := F)). intros e. assert (Half : 0 < e / 2) by (pose proof (cond_pos e); lra).
    destruct (H (mkposreal _ Half)) as (U & W & FU & NW & K). simpl in K. destruct (filter_ex _ (filter_and _ _ NW NI)) as (z & ZW & Z1 & Z2).
    exists (fun y => U y /\ Rbar_lt a y /\ Rbar_lt y b). split. exact (filter_and _ _ FU FI).
    intros x y (XU & X1 & X2) (YU & Y1 & Y2). change (Rabs (RInt f c y - RInt f c x) < e). eapply Rle_lt_trans. apply M; assumption.
    assert (Q : RInt g z y = RInt g z x + RInt g x y) by (symmetry; apply (RInt_Chasles g z x y); apply IG; assumption).
    pose proof (K x z XU ZW) as I2. pose proof (K y z YU ZW) as J2. apply Rabs_def2 in I2. apply Rabs_def2 in J2. apply Rabs_def1; lra. }
  destruct (Goes (upto b) (from a) v) as [B0 LB]; try apply _; [apply upto_inside; exact A | apply from_inside; exact A | apply near_upper; exact V |].
  destruct (Goes (from a) (upto b) (- v)) as [A0 LA]; try apply _; [apply from_inside; exact A | apply upto_inside; exact A | apply near_lower; exact V |].
  exists (B0 - A0). apply (Int_primitive (fun x => RInt f c x) f a b); try assumption.
  - intros t T1 T2. apply (d_inside f a b); assumption.
  - intros Q. exfalso. rewrite Q in A. apply (Rbar_lt_same b A).
Qed.
(* the integral up to a moving end, as a function with a derivative on all of a closed range *)
Lemma upper_end f a b : a <= b -> (forall t, a <= t <= b -> continuity_pt f t) ->
  exists F, forall t, a <= t <= b -> Int f (Finite a) (Finite t) = F t /\ is_derive F t (f t).
Proof.
  intros L C. destruct (continued f a b L C) as (g & E & X & D). exists (fun t => RInt g a t). intros t T. split.
  - rewrite (Int_value f a t (RInt f a t)). apply RInt_ext. intros x. rewrite Rmin_left, Rmax_right by lra. intros I. symmetry. apply E. lra.
    apply Int_closed. lra. intros u U. apply C. lra.
  - rewrite <- E by exact T. apply D.
Qed.
Lemma Int_none f (a : R) : Int f (Finite a) (Finite a) = 0.
Proof. apply Int_value. left. split; reflexivity. Qed.
Fixpoint nsum (f : R -> R) (a : R) (n : nat) : R := match n with O => 0 | S k => nsum f a k + f (a + INR k) end.
(* the sum of f a, f (a + 1), ..., f b for whole a and b >= a - 1 *)
Definition Sum (f : R -> R) (a b : R) : R := nsum f a (Z.to_nat (Zfloor (b - a + 1))).
(* the limit of the partial sums *)
Definition isSum (f : R -> R) (a v : R) : Prop := is_lim_seq (fun n => nsum f a n) v.
Definition SumInf (f : R -> R) (a : R) : R := real (Lim_seq (fun n => nsum f a n)).
Definition ex_Sum (f : R -> R) (a : R) : Prop := exists v, isSum f a v.
(* a property at every whole place of a range *)
Definition on_whole (a : R) (b : Rbar) (P : R -> Prop) : Prop := forall k : R, isint k -> a <= k -> Rbar_le k b -> P k.
Definition sum_ok (a b : R) : Prop := isint a /\ isint b /\ a - 1 <= b.
Lemma SumInf_value f a v : isSum f a v -> SumInf f a = v.
Proof. intros H. unfold SumInf. rewrite (is_lim_seq_unique _ _ H). reflexivity. Qed.
Lemma isSum_as f a v w : isSum f a v -> v = w -> isSum f a w.
Proof. intros H <-. exact H. Qed.
Lemma ex_Sum_is f a : ex_Sum f a -> isSum f a (SumInf f a).
Proof. intros [v H]. rewrite (SumInf_value f a v H). exact H. Qed.
Lemma count_of a b : isint a -> isint b -> a - 1 <= b -> exists n, Z.to_nat (Zfloor (b - a + 1)) = n /\ b = a + INR n - 1.
Proof.
  intros [x A] [y B] H. subst. exists (Z.to_nat (y - x + 1)).
  assert (L : (0 <= y - x + 1)%Z). { apply le_IZR. rewrite plus_IZR, minus_IZR. lra. }
  split. f_equal. replace (IZR y - IZR x + 1) with (IZR (y - x + 1)) by (rewrite plus_IZR, minus_IZR; reflexivity). apply Zfloor_IZR.
  rewrite INR_IZR_INZ, Z2Nat.id by exact L. rewrite plus_IZR, minus_IZR. ring.
Qed.
Lemma isint_INR n : isint (INR n).
Proof. exists (Z.of_nat n). apply INR_IZR_INZ. Qed.
Lemma nsum_ext f g a n : isint a -> (forall k, isint k -> a <= k -> k <= a + INR n - 1 -> f k = g k) -> nsum f a n = nsum g a n.
Proof.
  intros A H. induction n as [| n IH]. reflexivity. simpl nsum. rewrite IH. f_equal. apply H.
  apply isint_plus. exact A. apply isint_INR. pose proof (pos_INR n). lra. rewrite S_INR. lra.
  intros k K L M. apply H; try assumption. rewrite S_INR. lra.
Qed.
Lemma Sum_ext f g a b : sum_ok a b -> on_whole a b (fun k => f k = g k) -> Sum f a b = Sum g a b.
Proof.
  intros (A & B & L) H. unfold Sum. destruct (count_of a b A B L) as (n & -> & E). apply nsum_ext. exact A.
  intros k K M N. apply H; try assumption. simpl. lra.
Qed.
Lemma nsum_telescope F f a n : isint a -> (forall k, isint k -> a <= k -> k <= a + INR n - 1 -> F (k + 1) - F k = f k) -> nsum f a n = F (a + INR n) - F a.
Proof.
  intros A H. induction n as [| n IH]. simpl. replace (a + 0) with a by ring. ring. simpl nsum. rewrite IH.
  rewrite <- (H (a + INR n)). replace (a + INR n + 1) with (a + INR (S n)) by (rewrite S_INR; ring). ring.
  apply isint_plus. exact A. apply isint_INR. pose proof (pos_INR n). lra. rewrite S_INR. lra.
  intros k K L M. apply H; try assumption. rewrite S_INR. lra.
Qed.
Theorem Sum_telescope F f a b : sum_ok a b -> on_whole a b (fun k => F (k + 1) - F k = f k) -> Sum f a b = F (b + 1) - F a.
Proof.
  intros (A & B & L) H. unfold Sum. destruct (count_of a b A B L) as (n & -> & E). rewrite (nsum_telescope F f a n A).
  replace (a + INR n) with (b + 1) by lra. reflexivity. intros k K M N. apply H; try assumption. simpl. lra.
Qed.
Lemma Sum_last f a b : sum_ok a b -> a <= b -> Sum f a b = Sum f a (b - 1) + f b.
Proof.
  intros (A & B & L) H. unfold Sum. destruct (count_of a b A B L) as (n & -> & E).
  destruct n as [| n]. simpl in E. lra. rewrite S_INR in E.
  destruct (count_of a (b - 1) A) as (m & -> & G). apply isint_minus. exact B. exists 1%Z. reflexivity. lra.
  assert (m = n). { apply INR_eq. lra. } subst m. simpl nsum. f_equal. f_equal. lra.
Qed.
Lemma Sum_last' f a b c : sum_ok a b -> a <= b -> c = b - 1 -> Sum f a b = Sum f a c + f b.
Proof. intros H L ->. apply Sum_last; assumption. Qed.
Lemma Sum_few f a b n : isint a -> b = a + INR n - 1 -> Sum f a b = nsum f a n.
Proof.
  intros A ->. unfold Sum. replace (a + INR n - 1 - a + 1) with (IZR (Z.of_nat n)) by (rewrite <- INR_IZR_INZ; ring).
  rewrite Zfloor_IZR, Nat2Z.id. reflexivity.
Qed.
Lemma nsum_first f a n : nsum f a (S n) = f a + nsum f (a + 1) n.
Proof.
  induction n as [| n IH]. simpl. replace (a + 0) with a by ring. ring.
  change (nsum f a (S (S n))) with (nsum f a (S n) + f (a + INR (S n))). rewrite IH. simpl nsum.
  replace (a + 1 + INR n) with (a + INR (S n)) by (rewrite S_INR; ring). ring.
Qed.
Lemma Sum_first f a b : sum_ok a b -> a <= b -> Sum f a b = f a + Sum f (a + 1) b.
Proof.
  intros (A & B & L) H. unfold Sum. destruct (count_of a b A B L) as (n & -> & E).
  destruct n as [| n]. simpl in E. lra. rewrite S_INR in E.
  destruct (count_of (a + 1) b) as (m & -> & G). apply isint_plus. exact A. exists 1%Z. reflexivity. exact B. lra.
  assert (m = n). { apply INR_eq. lra. } subst m. apply nsum_first.
Qed.
Lemma Sum_nonneg f a b : sum_ok a b -> on_whole a b (fun k => 0 <= f k) -> 0 <= Sum f a b.
Proof.
  intros (A & B & L) H. unfold Sum. destruct (count_of a b A B L) as (n & -> & E). assert (G : forall m, (m <= n)%nat -> 0 <= nsum f a m).
  { induction m as [| m IH]; intros M. simpl. lra. simpl nsum. assert (0 <= f (a + INR m)); [| specialize (IH ltac:(lia)); lra].
    apply H. apply isint_plus. exact A. apply isint_INR. pose proof (pos_INR m). lra. simpl. assert (INR m + 1 <= INR n) by (rewrite <- S_INR; apply le_INR; lia). lra. }
  apply G. lia.
Qed.
Lemma Sum_combine c f g a b s : s = Sum g a b -> c * Sum f a b + s = Sum (fun k => c * f k + g k) a b.
Proof. intros ->. unfold Sum. induction (Z.to_nat (Zfloor (b - a + 1))) as [| n IH]; simpl nsum. ring. rewrite <- IH. ring. Qed.
Lemma Sum_zero a b : Sum (fun _ => 0) a b = 0.
Proof. unfold Sum. induction (Z.to_nat (Zfloor (b - a + 1))) as [| n IH]; simpl nsum. reflexivity. rewrite IH. ring. Qed.
(* whole numbers from a on: a property that is inherited *)
Lemma whole_induction (P : R -> Prop) a : isint a -> P a -> (forall k, isint k -> a <= k -> P k -> P (k + 1)) -> forall k, isint k -> a <= k -> P k.
Proof.
  intros A Z H k K L. destruct (count_of a k A K) as (n & _ & E). lra.
  destruct n as [| n]. simpl in E. lra. rewrite S_INR in E. replace k with (a + INR n) by lra. clear E K L k.
  induction n as [| n IH]. simpl. replace (a + 0) with a by ring. exact Z. rewrite S_INR. replace (a + (INR n + 1)) with (a + INR n + 1) by ring.
  apply H. apply isint_plus. exact A. apply isint_INR. pose proof (pos_INR n). lra. exact IH.
Qed.
(* infinite sums by differences; by a rate at infinity *)
Theorem isSum_telescope F f a L : isint a -> on_whole a p_infty (fun k => F (k + 1) - F k = f k) -> filterlim F (Rbar_locally p_infty) (locally L) -> isSum f a (L - F a).
Proof.
  intros A H C. unfold isSum. apply (is_lim_seq_ext (fun n => F (a + INR n) - F a)).
  - intros n. symmetry. apply nsum_telescope. exact A. intros k K M _. apply H; try assumption. exact I.
  - apply (is_lim_seq_minus _ _ L (F a)). 2: apply is_lim_seq_const. 2: reflexivity.
    unfold is_lim_seq. simpl. intros P HP. destruct (C P HP) as [M HM].
    assert (T : is_lim_seq (fun n => a + INR n) p_infty). { apply (is_lim_seq_plus _ _ a p_infty). apply is_lim_seq_const. apply is_lim_seq_INR. reflexivity. }
    apply is_lim_seq_spec in T. destruct (T M) as [N HN]. exists N. intros n K. apply HM. apply HN. exact K.
Qed.
Lemma isSum_ext f g a v : isint a -> on_whole a p_infty (fun k => f k = g k) -> isSum g a v -> isSum f a v.
Proof.
  intros A H S. apply (is_lim_seq_ext (fun n => nsum g a n)); [| exact S]. intros n. symmetry. apply nsum_ext. exact A. intros k K M _. apply H; try assumption. exact I.
Qed.
Lemma nsum_Sum f a n : isint a -> nsum f a n = Sum f a (a + INR n - 1).
Proof. intros A. symmetry. apply Sum_few. exact A. reflexivity. Qed.
(* a factor before the terms; the series of -log(1 - a) *)
Lemma nsum_scaled c f a n : nsum (fun k => c * f k) a n = c * nsum f a n.
Proof. induction n as [| n IH]. simpl. ring. cbn [nsum]. rewrite IH. ring. Qed.
Lemma isSum_scaled c f a v : isSum f a v -> isSum (fun k => c * f k) a (c * v).
Proof.
  intros H. unfold isSum. apply (is_lim_seq_ext (fun n => c * nsum f a n)). intros n. symmetry. apply nsum_scaled.
  apply (is_lim_seq_scal_l _ c v). exact H.
Qed.
Lemma rpw_whole x n : 0 < x -> rpw x (INR n) = x ^ n.
Proof. intros H. rewrite rpw_exp by exact H. apply same_ln. apply exp_pos. apply pow_lt. exact H. rewrite ln_exp, ln_pow_nat by exact H. reflexivity. Qed.
Lemma log_term a n : log_c (S n) * (- a) ^ S n = - (a ^ S n / INR (S n)).
Proof.
  assert (N : INR (S n) <> 0) by (apply not_0_INR; discriminate). assert (Q : (-1) ^ n * (-1) ^ n = 1).
  { rewrite <- pow_add. replace (n + n)%nat with (2 * n)%nat by lia. apply pow_1_even. }
  replace (- a) with (-1 * a) by ring. rewrite Rpow_mult_distr. unfold log_c. change ((-1) ^ S n) with (-1 * (-1) ^ n).
  replace ((-1) ^ n / INR (S n) * (-1 * (-1) ^ n * a ^ S n)) with (- ((-1) ^ n * (-1) ^ n) * (a ^ S n / INR (S n))) by (field; exact N).
  rewrite Q. ring.
Qed.
Lemma log_poly a n : poly log_c (S n) (- a) = - nsum (fun k => a ^ Z.to_nat (Zfloor k) / k) 1 n.
Proof.
  induction n as [| n IH]. simpl. ring.
  change (poly log_c (S (S n)) (- a)) with (poly log_c (S n) (- a) + log_c (S n) * (- a) ^ S n). rewrite IH, log_term.
  change (nsum (fun k => a ^ Z.to_nat (Zfloor k) / k) 1 (S n)) with (nsum (fun k => a ^ Z.to_nat (Zfloor k) / k) 1 n + a ^ Z.to_nat (Zfloor (1 + INR n)) / (1 + INR n)).
  replace (1 + INR n) with (INR (S n)) by (rewrite S_INR; ring). rewrite (INR_IZR_INZ (S n)) at 2. rewrite Zfloor_IZR, Nat2Z.id. ring.
Qed.
Lemma isSum_log v B : (forall n, Rabs (ln (1 + v) - poly log_c (S n) v) <= B / INR (S n)) -> isSum (fun k => (- v) ^ Z.to_nat (Zfloor k) / k) 1 (- ln (1 + v)).
Proof.
  intros H. apply (is_lim_seq_ext (fun n => - poly log_c (S n) v)). intros n. rewrite <- (Ropp_involutive v) at 1. rewrite log_poly. ring.
  apply is_lim_seq_spec. intros e. pose proof (cond_pos e) as P. assert (T := is_lim_seq_INR). apply is_lim_seq_spec in T. destruct (T (B / e)) as [N K].
  exists N. intros n M. specialize (K n M). rewrite <- Rabs_Ropp. replace (- (- poly log_c (S n) v - - ln (1 + v))) with (- (ln (1 + v) - poly log_c (S n) v)) by ring. rewrite Rabs_Ropp.
  eapply Rle_lt_trans. apply H. pose proof (pos_INR n). rewrite S_INR. apply over_lt. lra.
  apply (Rmult_lt_compat_l e) in K; [| exact P]. replace (e * (B / e)) with B in K by (field; lra). lra.
Qed.
(* a power of a number between 0 and 1 before a bound *)
Lemma power_times v n b : 0 <= v <= 1 -> 0 <= b -> v ^ n * b <= b.
Proof. intros V B. rewrite <- (Rmult_1_l b) at 2. apply Rmult_le_compat_r. exact B. rewrite <- (pow1 n). apply pow_incr. exact V. Qed.
Lemma isSum_logarithm a : 0 < a < 1 -> isSum (fun k => rpw a k / k) 1 (- ln (1 - a)).
Proof.
  intros A. apply (isSum_ext _ (fun k => (- - a) ^ Z.to_nat (Zfloor k) / k)). exists 1%Z. reflexivity.
  intros k [z ->] L _. rewrite Zfloor_IZR, Ropp_involutive. f_equal. assert (0 <= z)%Z by (apply le_IZR; lra).
  rewrite <- (Z2Nat.id z) at 1 by assumption. rewrite <- INR_IZR_INZ. apply rpw_whole. lra.
  replace (1 - a) with (1 + - a) by ring. apply (isSum_log _ (/ (1 - a))). intros n.
  destruct (log_tayl n a ltac:(lra) (- a)) as (s & Bs & E). rewrite Rabs_Ropp, Rabs_pos_eq; lra.
  rewrite E. replace (poly log_c (S n) (- a) + (- a) ^ S n * s - poly log_c (S n) (- a)) with ((- a) ^ S n * s) by ring.
  rewrite Rabs_mult, <- RPow_abs, Rabs_Ropp, (Rabs_pos_eq a) by lra. eapply Rle_trans; [| exact Bs]. apply power_times. lra. apply Rabs_pos.
Qed.
Lemma geo_rest n v : 0 <= v -> Rabs (/ (1 + v) - poly geo_c n v) <= v ^ n * 1.
Proof.
  intros V. replace (/ (1 + v) - poly geo_c n v) with (v ^ n * ((-1) ^ n * / (1 + v))) by (rewrite (geo_sum n v) at 2 by lra; ring).
  assert (P : 0 <= v ^ n) by (apply pow_le; exact V). rewrite Rabs_mult, (Rabs_pos_eq _ P). apply Rmult_le_compat_l. exact P.
  rewrite Rabs_mult, pow_1_abs, Rmult_1_l, Rabs_pos_eq by (left; apply Rinv_0_lt_compat; lra). rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
Qed.
Lemma log_rest n v : 0 <= v -> Rabs (ln (1 + v) - poly log_c (S n) v) <= v ^ S n * (1 / INR (S n)).
Proof.
  intros V. apply (tayl_side (fun v => ln (1 + v)) (fun v => / (1 + v)) (poly log_c (S n)) (poly geo_c n) n 1 v).
  - intros t T. eapply d_eq; [d_find; lra | ring].
  - intros t _. apply poly_derive. apply log_c_step.
  - rewrite poly_0, Rplus_0_r, ln_1. reflexivity.
  - intros t T. apply geo_rest. lra.
  - lra.
Qed.
Lemma isSum_alternating c : 0 < c <= 1 -> isSum (fun k => sgz k * rpw c k / k) 1 (- ln (1 + c)).
Proof.
  intros C. apply (isSum_ext _ (fun k => (- c) ^ Z.to_nat (Zfloor k) / k)). exists 1%Z. reflexivity.
  - intros k [z ->] L _. rewrite Zfloor_IZR. f_equal. assert (Z0 : (0 <= z)%Z) by (apply le_IZR; lra).
    replace (- c) with (-1 * c) by ring. rewrite Rpow_mult_distr. f_equal.
    + unfold sgz. rewrite Zfloor_IZR. f_equal. lia.
    + rewrite <- (Z2Nat.id z) at 1 by assumption. rewrite <- INR_IZR_INZ. apply rpw_whole. lra.
  - apply (isSum_log _ 1). intros n. eapply Rle_trans. apply log_rest. lra. apply power_times. lra.
    apply Rlt_le, Rdiv_lt_0_compat. lra. apply lt_0_INR. lia.
Qed.
(* existence of infinite sums: by a majorant, by the integral of what falls *)
Lemma nsum_series f a n : nsum f a (S n) = sum_n (fun k => f (a + INR k)) n.
Proof.
  induction n as [| n IH]. rewrite sum_O. simpl. ring.
  rewrite sum_Sn, <- IH. reflexivity.
Qed.
Lemma ex_Sum_series f a : ex_Sum f a <-> ex_series (fun k => f (a + INR k)).
Proof.
  split; intros [v V]; exists v.
  - change (is_lim_seq (sum_n (fun k => f (a + INR k))) v). apply (is_lim_seq_ext (fun n => nsum f a (S n))). apply nsum_series.
    apply (is_lim_seq_incr_1 (fun n => nsum f a n)). exact V.
  - apply (is_lim_seq_incr_1 (fun n => nsum f a n)). apply (is_lim_seq_ext (sum_n (fun k => f (a + INR k)))). intros n. symmetry. apply nsum_series. exact V.
Qed.
Theorem ex_Sum_dominated f g a : isint a -> on_whole a p_infty (fun k => Rabs (f k) <= g k) -> ex_Sum g a -> ex_Sum f a.
Proof.
  intros A H G. apply ex_Sum_series in G. apply ex_Sum_series. apply (ex_series_le (K := R_AbsRing) (V := R_CompleteNormedModule) _ (fun k => g (a + INR k))); [| exact G].
  intros n. apply H. apply isint_plus. exact A. apply isint_INR. pose proof (pos_INR n). lra. exact I.
Qed.
Theorem ex_Sum_test f f' a : isint a -> (forall t, a <= t -> 0 <= f t) -> (forall t, a <= t -> is_derive f t (f' t)) -> (forall t, a <= t -> 0 <= - f' t) ->
  ex_Int f (Finite a) p_infty -> ex_Sum f a.
Proof.
  intros A P D S [v V]. destruct V as [[E _] | [[_ V] | [L _]]]; [discriminate | | contradiction].
  assert (F : forall x y, a <= x -> x <= y -> f y <= f x).
  { intros x y X Y. apply (falling f f' x y Y). intros t T. apply D. lra. intros t T. apply S. lra. }
  assert (X : forall x y, a <= x -> a <= y -> ex_RInt f x y).
  { intros x y X Y. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t T. apply (ex_derive_continuous f). exists (f' t). apply D.
    unfold Rmin in T. destruct (Rle_dec x y); lra. }
  assert (U : forall x y, a <= x -> x <= y -> 0 <= RInt f x y).
  { intros x y X0 Y. apply RInt_ge_0. exact Y. apply X; lra. intros t T. apply P. lra. }
  assert (Ch : forall x y z, a <= x -> a <= y -> a <= z -> RInt f x z = RInt f x y + RInt f y z).
  { intros x y z X0 Y Z. symmetry. apply (RInt_Chasles f x y z); apply X; assumption. }
  assert (B : forall y, a <= y -> RInt f a y <= v).
  { intros y Y. apply Rnot_lt_le. intros N. set (e := RInt f a y - v) in *. assert (E : 0 < e / 2) by (unfold e; lra).
    assert (Q : locally v (fun z : R => Rabs (z - v) < e / 2)) by (exists (mkposreal _ E); intros z Z; exact Z).
    destruct (V _ Q) as [U0 W FU FW H].
    assert (K : 0 < e / 2 / (f a + 1)). { apply Rdiv_lt_0_compat. exact E. pose proof (P a ltac:(lra)). lra. }
    assert (Near : from (Finite a) (fun x => a < x < a + e / 2 / (f a + 1))).
    { exists (mkposreal _ K). intros x Z Z0. bc_ball Z. apply Rabs_def2 in Z. lra. }
    destruct (filter_ex _ (filter_and _ _ FU Near)) as (x & XU & X1 & X2).
    assert (Far : upto p_infty (fun z => Rmax x y < z)) by (exists (Rmax x y); intros z Z; exact Z).
    destruct (filter_ex _ (filter_and _ _ FW Far)) as (z & ZW & Z1). pose proof (Rmax_l x y). pose proof (Rmax_r x y).
    destruct (H x z XU ZW) as (i & I1 & I2). simpl in I1. pose proof (is_RInt_unique f x z i I1) as I3.
    assert (G : RInt f a x <= e / 2).
    { apply Rle_trans with (RInt (fun _ => f a) a x). apply RInt_le. lra. apply X; lra. apply ex_RInt_const. intros t T. apply F; lra.
      rewrite RInt_const. unfold scal; simpl; unfold mult; simpl. pose proof (P a ltac:(lra)).
      apply Rle_trans with (e / 2 / (f a + 1) * (f a + 1)). apply Rmult_le_compat; lra. apply Req_le. field. lra. }
    pose proof (Ch a x z ltac:(lra) ltac:(lra) ltac:(lra)) as C1. pose proof (Ch a y z ltac:(lra) ltac:(lra) ltac:(lra)) as C2.
    pose proof (U y z Y ltac:(lra)). rewrite <- I3 in I2. apply Rabs_def2 in I2. unfold e in *. lra. }
  assert (T : forall n, nsum f a (Datatypes.S n) <= f a + RInt f a (a + INR n)).
  { induction n as [| n IH]. simpl. rewrite Rplus_0_r, RInt_point. unfold zero; simpl. lra.
    change (nsum f a (Datatypes.S (Datatypes.S n))) with (nsum f a (Datatypes.S n) + f (a + INR (Datatypes.S n))).
    pose proof (pos_INR n). rewrite (Ch a (a + INR n)) by (rewrite ?S_INR; lra).
    assert (G : f (a + INR (Datatypes.S n)) <= RInt f (a + INR n) (a + INR (Datatypes.S n))); [| lra].
    apply Rle_trans with (RInt (fun _ => f (a + INR (Datatypes.S n))) (a + INR n) (a + INR (Datatypes.S n))).
    rewrite RInt_const. unfold scal; simpl scal; simpl; unfold mult; simpl mult. rewrite ?S_INR. apply Req_le. destruct n; simpl; ring.
    apply RInt_le. rewrite S_INR. lra. apply ex_RInt_const. apply X; rewrite ?S_INR; lra. intros t T. apply F; lra. }
  destruct (ex_finite_lim_seq_incr (fun n => nsum f a n) (f a + v)) as [w W].
  - intros n. simpl. assert (0 <= f (a + INR n)); [| lra]. apply P. pose proof (pos_INR n). lra.
  - intros n. pose proof (P a ltac:(lra)). destruct n as [| n]. simpl. pose proof (B a ltac:(lra)) as B0. rewrite RInt_point in B0. unfold zero in B0; simpl in B0. lra.
    pose proof (T n). pose proof (pos_INR n). pose proof (B (a + INR n) ltac:(lra)). lra.
  - exists w. exact W.
Qed.
(* a relation that all partial sums meet holds of their limit *)
Lemma partial_le f a c : isint a -> ex_Sum f a -> (forall b, isint b -> a <= b -> Sum f a b <= c) -> SumInf f a <= c.
Proof.
  intros A E H. apply ex_Sum_is in E. apply (is_lim_seq_incr_1 (fun n => nsum f a n)) in E.
  apply (is_lim_seq_le (fun n => nsum f a (S n)) (fun _ => c) (SumInf f a) c); [| exact E | apply is_lim_seq_const].
  intros n. rewrite nsum_Sum by exact A. apply H. rewrite S_INR. replace (a + (INR n + 1) - 1) with (a + INR n) by ring. apply isint_plus. exact A. apply isint_INR.
  rewrite S_INR. pose proof (pos_INR n). lra.
Qed.
Lemma partial_ge f a c : isint a -> ex_Sum f a -> (forall b, isint b -> a <= b -> c <= Sum f a b) -> c <= SumInf f a.
Proof.
  intros A E H. apply ex_Sum_is in E. apply (is_lim_seq_incr_1 (fun n => nsum f a n)) in E.
  apply (is_lim_seq_le (fun _ => c) (fun n => nsum f a (S n)) c (SumInf f a)); [| apply is_lim_seq_const | exact E].
  intros n. rewrite nsum_Sum by exact A. apply H. rewrite S_INR. replace (a + (INR n + 1) - 1) with (a + INR n) by ring. apply isint_plus. exact A. apply isint_INR.
  rewrite S_INR. pose proof (pos_INR n). lra.
Qed.
(* terms that are not negative and partial sums that stay below a bound: the sum exists *)
Lemma Int_sum f a (c : R) b : ex_Int f a c -> ex_Int f c b -> Rbar_le a c -> Rbar_le c b -> on_range a b (fun t => continuity_pt f t) ->
  Int f a b = Int f a c + Int f c b.
Proof. intros A B L M C. apply Int_value. apply (Int_split f a c b); try assumption; apply ex_Int_is; assumption. Qed.
Lemma Int_split_ex f a (c : R) b : ex_Int f a c -> ex_Int f c b -> Rbar_le a c -> Rbar_le c b -> on_range a b (fun t => continuity_pt f t) -> ex_Int f a b.
Proof. intros [v A] [w B] L M C. exists (v + w). apply (Int_split f a c b); assumption. Qed.
(* tactics *)
Ltac bc_open := repeat match goal with H : _ /\ _ |- _ => destruct H end.
Ltac bc_parts := repeat first [assumption | exact I | lra | split | bc_side].
Ltac bc_ends := cbn [Rbar_le Rbar_lt]; first [exact I | lra | bc_side].
Ltac bc_sum_ok := first [assumption | split; [bc_whole | split; [bc_whole | first [lra | bc_side]]]].
Ltac bc_same := repeat first [reflexivity | f_equal]; first [lra | ring | bc_equal].
Ltac bc_turned H := first [lra | apply (eq_rect _ (fun P : Prop => P) H); repeat first [reflexivity | f_equal]; first [ring | lra | bc_equal]].
Ltac bc_defined :=
  match goal with
  | |- sum_ok _ _ => bc_sum_ok
  | |- isint _ => bc_whole
  | |- on_whole _ _ _ => let k := fresh "k" in intros k ? ? ?; cbn [Rbar_le] in *; cbv beta; repeat split; first [exact I | lra | bc_side]
  | |- between _ _ _ => first [assumption | apply between_of; [bc_ends | bc_defined] | apply between_turned; first [assumption | apply between_of; [bc_ends | bc_defined]]]
  | |- on_range _ _ _ => let k := fresh "k" in intros k ? ?; cbn [Rbar_lt] in *; cbv beta; repeat split; first [exact I | lra | bc_side]
  | |- _ /\ _ => split; bc_ready
  | |- ex_Int _ _ _ => first [assumption | apply ex_Int_turned; assumption | eapply Int_exists; apply Int_closed; [bc_ends | intros; cbv beta; bc_cont]]
  end
with bc_ready := first [assumption | lra | bc_defined | bc_side].
Ltac bc_given ::= first [assumption | lra | bc_defined | bc_side].
Ltac bc_inside ::= first [assumption | lra | bc_defined | match goal with |- _ <> 0 => apply Rgt_not_eq, Rlt_gt; bc_implied | |- 0 < _ => bc_implied | |- _ > 0 => apply Rlt_gt; bc_implied | |- _ >= 0 => apply Rle_ge, Rlt_le; bc_implied end | bc_side].
Lemma over_one x : x / 1 = x.
Proof. field. Qed.
(* two formulas of one shape whose parts are equal *)
Ltac bc_deep := timeout 10 (solve [repeat first [reflexivity | lra | ring | f_equal]]).
(* limits by their shape *)
Lemma lim_const (F : (R -> Prop) -> Prop) {FF : Filter F} (c : R) : filterlim (fun _ : R => c) F (locally c).
Proof. apply filterlim_const. Qed.
Lemma lim_plus (F : (R -> Prop) -> Prop) {FF : Filter F} (f g : R -> R) (a b : R) : filterlim f F (locally a) -> filterlim g F (locally b) -> filterlim (fun t => f t + g t) F (locally (a + b)).
Proof. intros A B. apply (filterlim_comp_2 (F := F) (G := locally a) (H := locally b) f g Rplus A B). apply (filterlim_plus (V := R_NormedModule)). Qed.
Lemma lim_opp (F : (R -> Prop) -> Prop) {FF : Filter F} (f : R -> R) (a : R) : filterlim f F (locally a) -> filterlim (fun t => - f t) F (locally (- a)).
Proof. intros A. apply (filterlim_comp _ _ _ f Ropp F (locally a) _ A). apply (filterlim_opp (V := R_NormedModule)). Qed.
Lemma lim_minus (F : (R -> Prop) -> Prop) {FF : Filter F} (f g : R -> R) (a b : R) : filterlim f F (locally a) -> filterlim g F (locally b) -> filterlim (fun t => f t - g t) F (locally (a - b)).
Proof. intros A B. unfold Rminus. apply (lim_plus F f (fun t => - g t)). exact A. apply lim_opp; assumption. Qed.
Lemma lim_mult (F : (R -> Prop) -> Prop) {FF : Filter F} (f g : R -> R) (a b : R) : filterlim f F (locally a) -> filterlim g F (locally b) -> filterlim (fun t => f t * g t) F (locally (a * b)).
Proof. intros A B. apply (filterlim_comp_2 (F := F) (G := locally a) (H := locally b) f g Rmult A B). apply (filterlim_mult (K := R_AbsRing)). Qed.
Lemma lim_div (F : (R -> Prop) -> Prop) {FF : Filter F} (f : R -> R) (a c : R) : filterlim f F (locally a) -> filterlim (fun t => f t / c) F (locally (a / c)).
Proof. intros A. unfold Rdiv. apply (lim_mult F f (fun _ => / c)). exact A. apply lim_const; assumption. Qed.
Lemma lim_power (q : R) : q < 0 -> filterlim (fun t => rpw t q) (Rbar_locally p_infty) (locally 0).
Proof.
  intros Q. apply filterlim_locally. intros e. exists (Rmax 1 (exp (ln e / q))). intros t T.
  assert (1 < t) by (pose proof (Rmax_l 1 (exp (ln e / q))); lra). assert (exp (ln e / q) < t) by (pose proof (Rmax_r 1 (exp (ln e / q))); lra).
  bc_ball_goal. rewrite Ropp_0, Rplus_0_r, Rabs_pos_eq by apply rpw_nonneg.
  rewrite rpw_exp by lra. pose proof (cond_pos e) as E. rewrite <- (exp_ln e E). apply exp_increasing.
  assert (K : ln e / q < ln t). { rewrite <- (ln_exp (ln e / q)). apply ln_increasing. apply exp_pos. assumption. }
  assert (ln e = q * (ln e / q)) as -> by (field; lra). apply Ropp_lt_cancel. rewrite <- !Ropp_mult_distr_l_reverse. apply Rmult_lt_compat_l; lra.
Qed.
Lemma lim_exp (c : R) : c < 0 -> filterlim (fun t => exp (c * t)) (Rbar_locally p_infty) (locally 0).
Proof.
  intros C. apply filterlim_locally. intros e. exists (ln e / c). intros t T. pose proof (cond_pos e) as E.
  bc_ball_goal. rewrite Ropp_0, Rplus_0_r, Rabs_pos_eq by (left; apply exp_pos).
  rewrite <- (exp_ln e E). apply exp_increasing. assert (ln e = c * (ln e / c)) as -> by (field; lra). nra.
Qed.
Lemma lim_ext (F : (R -> Prop) -> Prop) {FF : Filter F} (f g : R -> R) (a : R) : (forall t, f t = g t) -> filterlim g F (locally a) -> filterlim f F (locally a).
Proof. intros E H. apply (filterlim_ext g). intros t. symmetry. apply E. exact H. Qed.
Lemma lim_base (b : R) : 0 < b < 1 -> filterlim (fun t => rpw b t) (Rbar_locally p_infty) (locally 0).
Proof.
  intros B. apply (lim_ext _ _ (fun t => exp (ln b * t))). intros t. rewrite rpw_exp by lra. f_equal. ring.
  apply lim_exp. rewrite <- ln_1. apply ln_increasing; lra.
Qed.
Lemma lim_base_next (b : R) : 0 < b < 1 -> filterlim (fun t => rpw b (t + 1)) (Rbar_locally p_infty) (locally 0).
Proof.
  intros B. apply (lim_ext _ _ (fun t => b * rpw b t)). intros t. rewrite rpw_plus, rpw_one by lra. ring.
  replace 0 with (b * 0) by ring. apply lim_mult; try apply _. apply lim_const; apply _. apply lim_base. exact B.
Qed.
Lemma lim_ipw b : -1 < b < 1 -> filterlim (fun t => ipw b t) (Rbar_locally p_infty) (locally 0).
Proof.
  intros B. apply filterlim_locally. intros e. destruct (pow_lt_1_zero b ltac:(apply Rabs_def1; lra) e (cond_pos e)) as [N H].
  exists (INR N + 1). intros t T. bc_ball_goal. rewrite Ropp_0, Rplus_0_r.
  assert (Z0 : (Z.of_nat N <= Zfloor t)%Z). { apply Zfloor_lub. rewrite <- INR_IZR_INZ. lra. }
  unfold ipw. rewrite <- (Z2Nat.id (Zfloor t)) by lia. rewrite <- pow_powerRZ. apply H. lia.
Qed.
Lemma lim_ipw_next b : -1 < b < 1 -> filterlim (fun t => ipw b (t + 1)) (Rbar_locally p_infty) (locally 0).
Proof.
  intros B. apply (filterlim_comp _ _ _ (fun t => t + 1) (ipw b) _ (Rbar_locally p_infty)); [| apply lim_ipw; exact B].
  intros P [M H]. exists M. intros t T. apply H. lra.
Qed.
Lemma lim_inverse : filterlim (fun t : R => / t) (Rbar_locally p_infty) (locally 0).
Proof.
  apply filterlim_locally. intros e. exists (/ e). intros t T. pose proof (cond_pos e) as E. assert (0 < / e) by (apply Rinv_0_lt_compat; exact E).
  bc_ball_goal. rewrite Ropp_0, Rplus_0_r, Rabs_pos_eq by (left; apply Rinv_0_lt_compat; lra).
  rewrite <- (Rinv_involutive e) by lra. apply Rinv_lt_contravar. apply Rmult_lt_0_compat; lra. exact T.
Qed.
Ltac bc_special_limit := fail.
Ltac bc_limit := cbn [upto from];
  lazymatch goal with
  | |- filterlim (fun _ : R => ?c) _ _ => apply lim_const; apply _
  | |- filterlim (fun t : R => rpw t ?q) (Rbar_locally p_infty) _ => apply lim_power; bc_side
  | |- filterlim (fun t : R => rpw ?b t) (Rbar_locally p_infty) _ => apply lim_base; split; bc_side
  | |- filterlim (fun t : R => rpw ?b (t + 1)) (Rbar_locally p_infty) _ => apply lim_base_next; split; bc_side
  | |- filterlim (rpw ?b) (Rbar_locally p_infty) _ => apply lim_base; split; bc_side
  | |- filterlim (ipw ?b) (Rbar_locally p_infty) _ => apply lim_ipw; split; bc_side
  | |- filterlim (fun t : R => ipw ?b (t + 1)) (Rbar_locally p_infty) _ => apply lim_ipw_next; split; bc_side
  | |- filterlim (fun t : R => / t) (Rbar_locally p_infty) _ => apply lim_inverse
  | |- filterlim (fun t : R => exp (- t)) (Rbar_locally p_infty) _ => eapply (lim_ext _ _ (fun t => exp (- 1 * t))); [intros; f_equal; ring | apply lim_exp; lra]
  | |- filterlim (fun t : R => exp (?c * t)) (Rbar_locally p_infty) _ => apply lim_exp; bc_side
  | |- filterlim (fun t : R => exp (- (?c * t))) (Rbar_locally p_infty) _ => eapply (lim_ext _ _ (fun t => exp (- c * t))); [intros; f_equal; ring | apply lim_exp; bc_side]
  | |- filterlim (fun t : R => @?f t + @?g t) _ _ => apply lim_plus; [apply _ | bc_limit | bc_limit]
  | |- filterlim (fun t : R => @?f t - @?g t) _ _ => apply lim_minus; [apply _ | bc_limit | bc_limit]
  | |- filterlim (fun t : R => - @?f t) _ _ => apply lim_opp; [apply _ | bc_limit]
  | |- filterlim (fun t : R => @?f t * @?g t) _ _ => apply lim_mult; [apply _ | bc_limit | bc_limit]
  | |- filterlim (fun t : R => @?f t / ?c) _ _ => apply lim_div; [apply _ | bc_limit]
  | _ => bc_special_limit
  end.

(* ------------------------------------------------------------------ the gamma function *)

Definition Gam (x : R) : R := Int (fun t => rpw t (x - 1) * exp (- t)) (Finite 0) p_infty.
Lemma beaten x : exists c, 0 < c /\ forall t, 1 <= t -> rpw t x * exp (- t) <= c * (/ t * / t).
Proof.
  assert (U := is_lim_seq_INR). apply is_lim_seq_spec in U. destruct (U (x + 2)) as [n N]. specialize (N n (le_n n)). exists (rfact n). split. apply rfact_pos. intros t T.
  assert (E := exp_beats n t ltac:(lra)). assert (P : 0 < t ^ n) by (apply pow_lt; lra).
  apply Rle_trans with (rpw t x * (rfact n / t ^ n)). apply Rmult_le_compat_l. left. apply rpw_pos. lra. exact E.
  rewrite <- rpw_whole by lra. unfold Rdiv.
  assert (Q : / rpw t (INR n) = rpw t (- INR n)). { apply same_ln. apply Rinv_0_lt_compat, rpw_pos. lra. apply rpw_pos. lra.
    rewrite ln_Rinv, !ln_rpw by (try apply rpw_pos; lra). ring. }
  assert (Q2 : / t * / t = rpw t (- 2)). { apply same_ln. apply Rmult_lt_0_compat; apply Rinv_0_lt_compat; lra. apply rpw_pos. lra.
    rewrite ln_mult, !ln_Rinv, ln_rpw by (try apply Rinv_0_lt_compat; lra). ring. }
  rewrite Q, Q2. replace (rpw t x * (rfact n * rpw t (- INR n))) with (rfact n * (rpw t x * rpw t (- INR n))) by ring.
  rewrite <- rpw_plus by lra. apply Rmult_le_compat_l. left. apply rfact_pos. apply rpw_le_exp. exact T. lra.
Qed.
Lemma gam_cont x t : 0 < t -> continuity_pt (fun t => rpw t x * exp (- t)) t.
Proof. intros T. c_find. exact T. Qed.
Lemma ex_Gam x : 0 < x -> ex_Int (fun t => rpw t (x - 1) * exp (- t)) (Finite 0) p_infty.
Proof.
  intros X. apply (Int_split_ex _ (Finite 0) 1 p_infty); try (simpl; lra); try exact I.
  - apply (ex_Int_dominated _ (fun t => rpw t (x - 1))); try (simpl; lra).
    + intros t T1 T2. simpl in *. apply gam_cont. lra.
    + intros t T1 T2. simpl in *. c_find. lra.
    + intros t T1 T2. simpl in *. pose proof (rpw_pos t (x - 1) T1). pose proof (exp_pos (- t)). assert (exp (- t) <= 1) by (apply exp_under_le; lra).
      rewrite Rabs_pos_eq by (apply Rmult_le_pos; lra). nra.
    + eexists. apply (Int_primitive (fun t => rpw t x / x) (fun t => rpw t (x - 1)) (Finite 0) (Finite 1) (rpw 0 x / x) (rpw 1 x / x)); try (simpl; lra).
      * intros t T1 T2. simpl in *. eapply d_eq; [d_find; lra | field; lra].
      * intros t T1 T2. simpl in *. c_find. lra.
      * apply (lim_right (fun t => rpw t x / x)). c_find. lra.
      * apply (lim_left (fun t => rpw t x / x)). c_find. lra.
      * intros Q. injection Q. lra.
  - destruct (beaten (x - 1)) as (c & C & H). apply (ex_Int_dominated _ (fun t => c * (/ t * / t))); try exact I.
    + intros t T1 _. simpl in *. apply gam_cont. lra.
    + intros t T1 _. simpl in *. c_find; lra.
    + intros t T1 _. simpl in *. rewrite Rabs_pos_eq. apply H. lra. apply Rmult_le_pos. left. apply rpw_pos. lra. left. apply exp_pos.
    + eexists. apply (Int_primitive (fun t => - c * / t) (fun t => c * (/ t * / t)) (Finite 1) p_infty (- c * / 1) (- c * 0)); try exact I; try discriminate.
      * intros t T1 _. simpl in *. eapply d_eq; [d_find; lra | field; lra].
      * intros t T1 _. simpl in *. c_find; lra.
      * apply (lim_right (fun t => - c * / t)). c_find. lra.
      * apply (lim_mult _ (fun _ => - c) (fun t => / t)). apply lim_const. apply _. apply lim_inverse.
  - intros t T1 _. simpl in *. apply gam_cont. exact T1.
Qed.
Lemma isInt_scaled_sum f g a b c v w : isInt f a b v -> isInt g a b w -> isInt (fun t => f t + c * g t) a b (v + c * w).
Proof.
  intros [[E V] | [[L V] | [L V]]] [[E' W] | [[L' W] | [L' W]]]; subst; try (exfalso; eapply Rbar_lt_same; eassumption); try (exfalso; eapply Rbar_lt_not_lt; eassumption).
  - left. split. reflexivity. ring.
  - right. left. split. exact L. apply (is_RInt_gen_plus f (fun t => c * g t) v (c * w)). exact V. apply (is_RInt_gen_scal g c w). exact W.
  - right. right. split. exact L. replace (- (v + c * w)) with (- v + c * - w) by ring. apply (is_RInt_gen_plus f (fun t => c * g t) (- v) (c * - w)). exact V. apply (is_RInt_gen_scal g c (- w)). exact W.
Qed.
Lemma isInt_scaled c f a b v : isInt f a b v -> isInt (fun t => c * f t) a b (c * v).
Proof.
  intros [[E V] | [[L V] | [L V]]]; [left | right; left | right; right]; split; try assumption.
  - rewrite V. ring.
  - apply (is_RInt_gen_scal f c v). exact V.
  - replace (- (c * v)) with (c * - v) by ring. apply (is_RInt_gen_scal f c (- v)). exact V.
Qed.
Lemma Gam_parts x : 0 < x -> isInt (fun t => rpw t x * exp (- t) + - x * (rpw t (x - 1) * exp (- t))) (Finite 0) p_infty 0.
Proof.
  intros X. apply (isInt_as _ _ _ (0 - - (rpw 0 x * exp (- 0)))); [| rewrite rpw_zero; ring].
  apply (Int_primitive (fun t => - (rpw t x * exp (- t))) _ (Finite 0) p_infty (- (rpw 0 x * exp (- 0))) 0); try exact I; try discriminate.
  - intros t T1 _. simpl in *. eapply d_eq; [d_find; exact T1 | ring].
  - intros t T1 _. simpl in *. c_find; exact T1.
  - apply (lim_right (fun t => - (rpw t x * exp (- t)))). c_find.
  - destruct (beaten x) as (c & C & H). apply filterlim_locally. intros e. exists (Rmax 1 (c / e)). intros t T. pose proof (cond_pos e) as E.
    assert (T1 : 1 < t) by (pose proof (Rmax_l 1 (c / e)); lra). assert (T2 : c / e < t) by (pose proof (Rmax_r 1 (c / e)); lra).
    bc_ball_goal. rewrite Ropp_0, Rplus_0_r, Rabs_Ropp.
    rewrite Rabs_pos_eq by (apply Rmult_le_pos; [left; apply rpw_pos; lra | left; apply exp_pos]). eapply Rle_lt_trans. apply H. lra.
    assert (I1 : 0 < / t) by (apply Rinv_0_lt_compat; lra). assert (I2 : / t <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
    apply Rle_lt_trans with (c * / t). apply Rmult_le_compat_l. lra. nra. apply (Rmult_lt_reg_r t). lra. rewrite Rmult_assoc, Rinv_l by lra.
    apply (Rmult_lt_compat_r e) in T2; [| exact E]. replace (c / e * e) with c in T2 by (field; lra). lra.
Qed.
Theorem Gam_next x : 0 < x -> Gam (x + 1) = x * Gam x.
Proof.
  intros X. assert (A := ex_Int_is _ _ _ (ex_Gam (x + 1) ltac:(lra))). assert (B := ex_Int_is _ _ _ (ex_Gam x X)). fold (Gam (x + 1)) in A. fold (Gam x) in B.
  replace (x + 1 - 1) with x in A by ring. pose proof (isInt_scaled_sum _ _ _ _ (- x) _ _ A B) as S. pose proof (isInt_same _ _ _ _ _ S (Gam_parts x X)) as E. lra.
Qed.
Lemma Gam_1 : Gam 1 = 1.
Proof.
  unfold Gam. apply Int_value. apply (isInt_as _ _ _ (0 - - exp (- 0))); [| rewrite Ropp_0, exp_0; ring].
  apply (Int_ext _ (fun t => exp (- t))). exact I. intros t T _. simpl in T. replace (1 - 1) with 0 by ring. rewrite rpw_0_exponent by exact T. ring.
  apply (Int_primitive (fun t => - exp (- t)) _ (Finite 0) p_infty (- exp (- 0)) 0); try exact I; try discriminate.
  - intros t _ _. simpl. eapply d_eq; [d_find | ring].
  - intros t _ _. simpl. c_find.
  - apply (lim_right (fun t => - exp (- t))). c_find.
  - replace 0 with (- 0) by ring. apply (lim_opp _ (fun t => exp (- t))). apply (lim_ext _ _ (fun t => exp (- 1 * t))). intros t. f_equal. ring. apply lim_exp. lra.
Qed.
Lemma Gam_pos x : 0 < x -> 0 < Gam x.
Proof.
  intros X. assert (A := ex_Int_is _ _ _ (ex_Gam x X)). fold (Gam x) in A. destruct A as [[E _] | [[_ V] | [L _]]]; [discriminate | | contradiction].
  set (f := fun t => rpw t (x - 1) * exp (- t)) in *.
  assert (C : forall u w, 0 < u -> 0 < w -> ex_RInt f u w).
  { intros u w U W. apply (ex_RInt_inside f (Finite 0) p_infty); try exact I; try assumption. intros t T _. apply gam_cont. exact T. }
  assert (P : forall t, 0 < t -> 0 < f t) by (intros t T; apply Rmult_lt_0_compat; [apply rpw_pos; exact T | apply exp_pos]).
  assert (N : forall u w, 0 < u -> u <= w -> 0 <= RInt f u w).
  { intros u w U W. apply RInt_ge_0. exact W. apply C; lra. intros t T. left. apply P. lra. }
  assert (G : 0 < RInt f 1 2).
  { apply RInt_gt_0. lra. intros t T. apply P. lra. intros t T. apply continuity_pt_filterlim. apply gam_cont. lra. }
  destruct (near_upper f _ _ _ V (mkposreal _ G)) as (W & U & FW & FU & K). simpl in K.
  assert (Near : from (Finite 0) (fun z => 0 < z < 1)).
  { exists (mkposreal _ Rlt_0_1). intros z Y Y0. bc_ball Y. apply Rabs_def2 in Y. lra. }
  assert (Far : upto p_infty (fun z => 2 < z)) by (exists 2; intros z Y; exact Y).
  destruct (filter_ex _ (filter_and _ _ FU Near)) as (u & UU & U0 & U1). destruct (filter_ex _ (filter_and _ _ FW Far)) as (w & WW & W0).
  assert (C1 : RInt f u 1 + RInt f 1 w = RInt f u w) by (apply (RInt_Chasles f u 1 w); apply C; lra).
  assert (C2 : RInt f 1 2 + RInt f 2 w = RInt f 1 w) by (apply (RInt_Chasles f 1 2 w); apply C; lra).
  specialize (K w u WW UU). apply Rabs_def2 in K. pose proof (N u 1 U0 ltac:(lra)). pose proof (N 2 w ltac:(lra) ltac:(lra)). lra.
Qed.
Lemma Gam_nonneg x : 0 < x -> 0 <= Gam x.
Proof. intros X. left. apply Gam_pos. exact X. Qed.
Lemma Gam_down x : 1 < x -> Gam x = (x - 1) * Gam (x - 1).
Proof. intros X. rewrite <- Gam_next by lra. f_equal. ring. Qed.
Lemma Gam_fact n : Gam (INR n + 1) = rfact n.
Proof.
  induction n as [| n IH]. simpl. rewrite Rplus_0_l. apply Gam_1. rewrite S_INR, Gam_next by (pose proof (pos_INR n); lra).
  rewrite IH. cbn [rfact]. rewrite S_INR. ring.
Qed.
(* factorials as whole numbers: (p - 1)! *)
Fixpoint zfact (n : nat) : Z := match n with O => 1%Z | S k => (zfact k * Z.of_nat (S k))%Z end.
Lemma rfact_whole n : rfact n = IZR (zfact n).
Proof. induction n as [| n IH]. reflexivity. cbn [rfact zfact]. rewrite IH, mult_IZR, <- INR_IZR_INZ. reflexivity. Qed.
Lemma Gam_number p : Gam (IZR (Zpos p)) = IZR (zfact (Nat.pred (Pos.to_nat p))).
Proof.
  rewrite <- rfact_whole, <- Gam_fact. f_equal. destruct (Pos2Nat.is_succ p) as [n E]. rewrite E. simpl Nat.pred.
  rewrite <- positive_nat_Z, E, <- INR_IZR_INZ, S_INR. reflexivity.
Qed.
Ltac bc_special_gamma := fail.
Ltac bc_factorials := repeat match goal with
  | |- context [Gam (?x + 1)] => lazymatch x with IZR _ => rewrite (Gam_next x) by lra end
  | |- context [Gam (IZR (Zpos ?p))] => rewrite (Gam_number p); let z := constr:(zfact (Nat.pred (Pos.to_nat p))) in let v := eval vm_compute in z in
    let E := fresh in assert (E : z = v) by (vm_compute; reflexivity); rewrite E; clear E
  | _ => progress bc_special_gamma
  end.
Lemma rfact_INR n : rfact n = INR (fact n).
Proof. induction n as [| n IH]. reflexivity. cbn [rfact]. rewrite IH. change (fact (S n)) with (S n * fact n)%nat. rewrite mult_INR. ring. Qed.
Lemma isSum_exponential a : 0 < a -> isSum (fun k => rpw a k / Gam (k + 1)) 0 (exp a).
Proof.
  intros A. unfold isSum. assert (E : forall n, nsum (fun k => rpw a k / Gam (k + 1)) 0 n = poly exp_c n a).
  { induction n as [| n IH]. reflexivity. cbn [nsum poly]. rewrite IH, Rplus_0_l, Gam_fact, rpw_whole by exact A. unfold exp_c, Rdiv. ring. }
  apply (is_lim_seq_ext (fun n => poly exp_c n a)). intros n. symmetry. apply E.
  apply is_lim_seq_spec. intros e. pose proof (cond_pos e) as P. assert (X := exp_pos a).
  assert (T : is_lim_seq (fun n => a ^ n / INR (fact n)) 0) by (apply is_lim_seq_Reals; apply cv_speed_pow_fact).
  assert (Q : 0 < e / exp a) by (apply Rdiv_lt_0_compat; assumption). apply is_lim_seq_spec in T. destruct (T (mkposreal _ Q)) as [N H].
  exists N. intros n K. specialize (H n K). simpl in H. rewrite Rminus_0_r in H.
  destruct (exp_tayl n a a) as (s & Bs & Es). rewrite Rabs_pos_eq; lra. rewrite Es. replace (poly exp_c n a - (poly exp_c n a + a ^ n * s)) with (- (a ^ n * s)) by ring.
  assert (W : 0 < a ^ n) by (apply pow_lt; exact A). assert (F := rfact_pos n).
  rewrite Rabs_Ropp, Rabs_mult, (Rabs_pos_eq (a ^ n)) by lra.
  apply Rle_lt_trans with (a ^ n * (exp a / rfact n)). apply Rmult_le_compat_l; lra.
  rewrite <- rfact_INR in H. rewrite Rabs_pos_eq in H by (apply Rlt_le, Rdiv_lt_0_compat; assumption).
  apply (Rmult_lt_compat_r (exp a)) in H; [| exact X]. replace (e / exp a * exp a) with (pos e) in H by (field; lra).
  replace (a ^ n * (exp a / rfact n)) with (a ^ n / rfact n * exp a) by (field; lra). exact H.
Qed.
(* the integral of a power of t and an exponential of another, by the substitution u = c t ^ k *)
Lemma rpw_root x k e : 0 < x -> 0 < k -> 0 < e -> x < rpw e (/ k) -> rpw x k < e.
Proof.
  intros X K E L. rewrite rpw_exp in * by assumption. rewrite <- (exp_ln e E). apply exp_increasing. rewrite <- (exp_ln x X) in L. apply exp_lt_inv in L.
  apply (Rmult_lt_compat_l k) in L; [| exact K]. replace (k * (/ k * ln e)) with (ln e) in L by (field; lra). exact L.
Qed.
Lemma rpw_root_above x k e : 0 < k -> 0 < e -> rpw e (/ k) < x -> e < rpw x k.
Proof.
  intros K E L. assert (P := rpw_pos e (/ k) E). rewrite rpw_exp in * by lra. rewrite <- (exp_ln e E) at 1. apply exp_increasing. rewrite <- (exp_ln x) in L by lra. apply exp_lt_inv in L.
  apply (Rmult_lt_compat_l k) in L; [| exact K]. replace (k * (/ k * ln e)) with (ln e) in L by (field; lra). exact L.
Qed.
Lemma Gam_power a c k : 0 < a -> 0 < c -> 0 < k -> isInt (fun t => rpw t (a - 1) * exp (- (c * rpw t k))) (Finite 0) p_infty (Gam (a / k) * rpw c (- (a / k)) / k).
Proof.
  intros A C K. assert (S : 0 < a / k) by (apply Rdiv_lt_0_compat; assumption).
  assert (G := ex_Int_is _ _ _ (ex_Gam (a / k) S)). fold (Gam (a / k)) in G. destruct G as [[E _] | [[_ V] | [L _]]]; [discriminate | | contradiction].
  set (f := fun u => rpw u (a / k - 1) * exp (- u)) in *. apply (isInt_as _ _ _ (rpw c (- (a / k)) / k * Gam (a / k))); [| unfold Rdiv; ring].
  apply (Int_ext _ (fun t => rpw c (- (a / k)) / k * (c * (k * rpw t (k - 1)) * f (c * rpw t k)))). exact I.
  - intros t T _. simpl in T. unfold f. replace (rpw t (a - 1)) with (rpw c (- (a / k)) * c * rpw t (k - 1) * rpw (c * rpw t k) (a / k - 1)) by bc_by_ln. field. lra.
  - apply isInt_scaled. right. left. split. exact I. intros P HP. destruct (V P HP) as [U W FU FW H].
    apply (Filter_prod _ _ _ (fun x => U (c * rpw x k) /\ 0 < x) (fun x => W (c * rpw x k) /\ 0 < x)).
    + destruct FU as [e D]. assert (E : 0 < e / c) by (apply Rdiv_lt_0_compat; [apply cond_pos | exact C]). exists (mkposreal _ (rpw_pos _ (/ k) E)). intros y Y Y0. split; [| exact Y0].
      bc_ball Y. rewrite Ropp_0, Rplus_0_r, Rabs_pos_eq in Y by lra. assert (Y1 : 0 < c * rpw y k) by bc_sgn.
      apply D; [| exact Y1]. bc_ball_goal. rewrite Ropp_0, Rplus_0_r, Rabs_pos_eq by lra. apply rpw_root in Y; try assumption.
      apply (Rmult_lt_compat_l c) in Y; [| exact C]. replace (c * (e / c)) with (pos e) in Y by (field; lra). exact Y.
    + destruct FW as [M D]. set (m := Rmax 1 (M / c)). exists (Rmax 0 (rpw m (/ k))). intros x X. pose proof (Rmax_l 0 (rpw m (/ k))). pose proof (Rmax_r 0 (rpw m (/ k))).
      assert (1 <= m) by apply Rmax_l. assert (M / c <= m) by apply Rmax_r. split; [| lra]. apply D. assert (B : M / c < rpw x k) by (apply Rle_lt_trans with m; [assumption | apply rpw_root_above; lra]).
      apply (Rmult_lt_compat_l c) in B; [| exact C]. replace (c * (M / c)) with M in B by (field; lra). exact B.
    + intros x y [XU X0] [YW Y0]. simpl. destruct (H _ _ XU YW) as (i & I1 & I2). simpl in I1. exists i. split; [| exact I2].
      rewrite <- (is_RInt_unique _ _ _ _ I1).
      assert (B : forall t, Rmin x y <= t <= Rmax x y -> 0 < t) by (intros t T; unfold Rmin in T; destruct (Rle_dec x y); lra).
      apply (is_RInt_comp f (fun t => c * rpw t k) (fun t => c * (k * rpw t (k - 1)))); intros t T; specialize (B t T).
      * apply continuity_pt_filterlim. apply (gam_cont (a / k - 1)). bc_sgn.
      * split. eapply d_eq. d_find. exact B. ring. apply continuity_pt_filterlim. c_find. exact B.
Qed.
(* the integral with a rate *)
Lemma Gam_rate s c : 0 < s -> 0 < c -> isInt (fun t => rpw t (s - 1) * exp (- (c * t))) (Finite 0) p_infty (Gam s * rpw c (- s)).
Proof.
  intros A C. assert (G := Gam_power s c 1 A C Rlt_0_1). rewrite !over_one in G.
  apply (Int_ext _ (fun t => rpw t (s - 1) * exp (- (c * rpw t 1)))); [exact I | | exact G]. intros t T _. simpl in T. rewrite rpw_one by lra. reflexivity.
Qed.
Lemma rpw_number x q n : 0 < x -> q = INR n -> rpw x q = x ^ n.
Proof. intros X ->. apply rpw_whole. exact X. Qed.
(* powers of x with exponents that are literal whole numbers *)
Ltac bc_whole_powers x := repeat match goal with |- context [rpw x ?q] => first
  [ rewrite (rpw_number x q 0) by (simpl; lra) | rewrite (rpw_number x q 1) by (simpl; lra) | rewrite (rpw_number x q 2) by (simpl; lra)
  | rewrite (rpw_number x q 3) by (simpl; lra) | rewrite (rpw_number x q 4) by (simpl; lra) | rewrite (rpw_number x q 5) by (simpl; lra)
  | rewrite (rpw_number x q 6) by (simpl; lra) ] end.
(* an even integrand over the whole line *)
Lemma isInt_even f v : isInt f (Finite 0) p_infty v -> (forall t, f (- t) = f t) -> (forall t, continuity_pt f t) -> isInt f m_infty p_infty (2 * v).
Proof.
  intros V E C. apply (isInt_as _ _ _ (v + v)); [| ring]. apply (Int_split f m_infty 0 p_infty); try exact I; [| exact V | intros t _ _; apply C].
  destruct V as [[Z _] | [[_ V] | [L _]]]; [discriminate | | contradiction]. right. left. split. exact I. intros P HP. destruct (V P HP) as [U W FU FW H].
  apply (Filter_prod _ _ _ (fun x => W (- x)) (fun x => U (- x))).
  - destruct FW as [M D]. exists (- M). intros x X. apply D. lra.
  - destruct FU as [e D]. exists e. intros y Y Y0. apply D; [| lra]. unfold ball in *; simpl in *; unfold AbsRing_ball, abs, minus, plus, opp in *; simpl in *.
    rewrite Ropp_0, Rplus_0_r in *. rewrite Rabs_Ropp. exact Y.
  - intros x y XW YU. simpl. destruct (H _ _ YU XW) as (i & I1 & I2). simpl in I1. exists i. split; [| exact I2].
    assert (S : is_RInt (fun t => opp (f (- t))) x y (opp i)) by (apply (is_RInt_swap (fun t => opp (f (- t)))); apply (is_RInt_comp_opp f y x i); exact I1).
    apply (is_RInt_opp (fun t => opp (f (- t)))) in S. rewrite opp_opp in S. revert S. apply is_RInt_ext. intros t _. rewrite opp_opp. apply E.
Qed.
(* from a fixed end an integral is the limit of those up to x *)
Lemma isInt_limit f (a v : R) : isInt f (Finite a) p_infty v -> (forall t, continuity_pt f t) -> filterlim (fun x => RInt f a x) (Rbar_locally p_infty) (locally v).
Proof.
  intros [[Z _] | [[_ V] | [L _]]] C; [discriminate | | contradiction].
  apply (end_lim f m_infty p_infty a v (upto p_infty) (from a)); try exact I; [intros t _ _; apply C | exists 0; intros; split; exact I | | apply near_upper; exact V].
  intros P [d D]. exists d. intros y Y _. exact (D y Y).
Qed.
(* the Gaussian integral: what the square of the integral up to x lacks of PI / 4 is an integral that vanishes *)
Definition bell (t : R) : R := exp (- t ^ 2).
Lemma c_bell t : continuity_pt bell t.
Proof. unfold bell. c_find. Qed.
Lemma ex_bell a b : ex_RInt bell a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _. apply continuity_pt_filterlim. apply c_bell. Qed.
Lemma d_bell x : is_derive (fun x => RInt bell 0 x) x (bell x).
Proof.
  apply (is_derive_RInt bell (fun x => RInt bell 0 x) 0). apply filter_forall. intros y. apply (RInt_correct (V := R_CompleteNormedModule)). apply ex_bell.
  apply continuity_pt_filterlim. apply c_bell.
Qed.
Definition bell_rest (x t : R) : R := exp (- x ^ 2 * (1 + t ^ 2)) / (1 + t ^ 2).
Lemma d_bell_rest x t : is_derive (fun u => bell_rest u t) x (- 2 * bell x * (x * bell (x * t + 0))).
Proof.
  pose proof (pow2_ge_0 t). unfold bell_rest, bell. auto_derive. exact I. replace (- (x * t + 0) ^ 2) with (- (x * t) ^ 2) by ring.
  replace (- (x * (x * 1)) * (1 + t * (t * 1))) with (- x ^ 2 + - (x * t) ^ 2) by ring. rewrite exp_plus. field. lra.
Qed.
Lemma c_bell_rest x t : continuity_pt (bell_rest x) t.
Proof. pose proof (pow2_ge_0 t). unfold bell_rest. c_find. lra. Qed.
Lemma ex_bell_rest x a b : ex_RInt (bell_rest x) a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _. apply continuity_pt_filterlim. apply c_bell_rest. Qed.
Lemma bell_square x : 0 <= x -> (RInt bell 0 x) ^ 2 + RInt (bell_rest x) 0 1 = PI / 4.
Proof.
  intros X. assert (Z : (RInt bell 0 0) ^ 2 + RInt (bell_rest 0) 0 1 = PI / 4).
  { rewrite RInt_point. unfold zero; simpl. assert (E : RInt (bell_rest 0) 0 1 = atan 1 - atan 0); [| rewrite E, atan_1, atan_0; ring].
    apply is_RInt_unique. apply (is_RInt_ext (fun t => / (1 + t ^ 2))).
    - intros t _. unfold bell_rest. replace (- 0 ^ 2 * (1 + t ^ 2)) with 0 by ring. rewrite exp_0. unfold Rdiv. symmetry. apply Rmult_1_l.
    - apply (is_RInt_derive atan); intros t _; pose proof (pow2_ge_0 t). eapply d_eq; [apply (d_atan (fun t => t)), d_id | ring]. apply continuity_pt_filterlim. c_find. lra. }
  destruct X as [X | <-]; [| exact Z]. rewrite <- Z. symmetry. apply (eq_is_derive (V := R_NormedModule) (fun x => (RInt bell 0 x) ^ 2 + RInt (bell_rest x) 0 1)); [| exact X].
  intros y _. clear. unfold zero; simpl.
  assert (D : is_derive (fun x => RInt (bell_rest x) 0 1) y (RInt (fun t => Derive (fun u => bell_rest u t) y) 0 1)).
  { apply (is_derive_RInt_param bell_rest 0 1 y).
    - apply filter_forall. intros u t _. exists (- 2 * bell u * (u * bell (u * t + 0))). apply d_bell_rest.
    - intros t _. apply (continuity_2d_pt_ext (fun u v => - 2 * bell u * (u * bell (u * v + 0)))). intros u v. symmetry. apply is_derive_unique. apply d_bell_rest.
      apply continuity_2d_pt_mult. apply continuity_2d_pt_mult. apply continuity_2d_pt_const. apply (continuity_1d_2d_pt_comp bell (fun u v => u)). apply c_bell. apply continuity_2d_pt_id1.
      apply continuity_2d_pt_mult. apply continuity_2d_pt_id1. apply (continuity_1d_2d_pt_comp bell (fun u v => u * v + 0)). apply c_bell.
      apply continuity_2d_pt_plus. apply continuity_2d_pt_mult. apply continuity_2d_pt_id1. apply continuity_2d_pt_id2. apply continuity_2d_pt_const.
    - apply filter_forall. intros u. apply ex_bell_rest. }
  apply (d_eq _ _ (INR 2 * RInt bell 0 y ^ Nat.pred 2 * bell y + - 2 * bell y * RInt bell 0 y)); [| simpl; ring].
  apply (d_plus (fun x => RInt bell 0 x ^ 2) (fun x => RInt (bell_rest x) 0 1)). apply (d_pow (fun x => RInt bell 0 x)). apply d_bell.
  eapply d_eq. exact D. apply is_RInt_unique. apply (is_RInt_ext (fun t => scal (- 2 * bell y) (scal y (bell (y * t + 0))))).
  - intros t _. symmetry. apply is_derive_unique. apply d_bell_rest.
  - apply (is_RInt_scal (fun t => scal y (bell (y * t + 0))) 0 1 (- 2 * bell y)). apply (is_RInt_comp_lin bell y 0 0 1).
    replace (y * 0 + 0) with 0 by ring. replace (y * 1 + 0) with y by ring. apply (RInt_correct (V := R_CompleteNormedModule)). apply ex_bell.
Qed.
Lemma bell_rest_small x : 0 <= RInt (bell_rest x) 0 1 <= exp (- x ^ 2).
Proof.
  assert (B : forall t, 0 <= bell_rest x t <= exp (- x ^ 2)).
  { intros t. pose proof (pow2_ge_0 t). pose proof (pow2_ge_0 x). unfold bell_rest. pose proof (exp_pos (- x ^ 2 * (1 + t ^ 2))). split. apply Rlt_le. apply Rdiv_lt_0_compat; lra.
    apply Rle_trans with (exp (- x ^ 2 * (1 + t ^ 2))). apply over_le. lra. nra. apply exp_le. nra. }
  split. apply RInt_ge_0. lra. apply ex_bell_rest. intros t _. apply B.
  replace (exp (- x ^ 2)) with (RInt (fun _ => exp (- x ^ 2)) 0 1). apply RInt_le. lra. apply ex_bell_rest. apply ex_RInt_const. intros t _. apply B.
  rewrite RInt_const. unfold scal; simpl; unfold mult; simpl. ring.
Qed.
Lemma bell_whole : isInt bell (Finite 0) p_infty (Gam (1 / 2) / 2).
Proof.
  apply (isInt_as _ _ _ (Gam (1 / 2) * rpw 1 (- (1 / 2)) / 2)); [| rewrite rpw_base_one; field].
  apply (Int_ext _ (fun t => rpw t (1 - 1) * exp (- (1 * rpw t 2)))). exact I.
  - intros t T _. simpl in T. unfold bell. replace (1 - 1) with 0 by ring. rewrite rpw_0_exponent by exact T. rewrite <- (rpw_whole t 2) by exact T. change (INR 2) with (1 + 1). replace (1 + 1) with 2 by ring. rewrite !Rmult_1_l. reflexivity.
  - apply Gam_power; lra.
Qed.
Theorem Gam_half : Gam (1 / 2) = sqrt PI.
Proof.
  assert (G := Gam_pos (1 / 2) ltac:(lra)). assert (P := PI_RGT_0). symmetry. apply root_is. lra.
  assert (L := isInt_limit _ _ _ bell_whole c_bell).
  assert (L2 : filterlim (fun x => RInt bell 0 x * RInt bell 0 x) (Rbar_locally p_infty) (locally (Gam (1 / 2) / 2 * (Gam (1 / 2) / 2)))) by (apply lim_mult; [apply _ | exact L | exact L]).
  assert (Q : filterlim (fun x => RInt bell 0 x * RInt bell 0 x) (Rbar_locally p_infty) (locally (PI / 4))).
  { apply filterlim_locally. intros e. pose proof (cond_pos e) as E0. exists (Rmax 1 (- ln e)). intros x X. pose proof (Rmax_l 1 (- ln e)). pose proof (Rmax_r 1 (- ln e)).
    pose proof (bell_square x ltac:(lra)) as S. pose proof (bell_rest_small x) as R0. assert (exp (- x ^ 2) < e) by (rewrite <- (exp_ln e E0); apply exp_increasing; nra).
    bc_ball_goal. apply Rabs_def1; nra. }
  pose proof (filterlim_locally_unique _ _ _ L2 Q). lra.
Qed.
(* the error function *)
Definition erf (x : R) : R := 2 / sqrt PI * RInt bell 0 x.
Lemma root_pi : 0 < sqrt PI.
Proof. apply sqrt_lt_R0. apply PI_RGT_0. Qed.
Lemma erf_zero : erf 0 = 0.
Proof. unfold erf. rewrite RInt_point. unfold zero; simpl. ring. Qed.
Lemma erf_null c : c = 0 -> 0 = erf c.
Proof. intros ->. symmetry. apply erf_zero. Qed.
Lemma is_derive_erf x : is_derive erf x (2 / sqrt PI * exp (- x ^ 2)).
Proof. apply (d_eq _ _ (0 * RInt bell 0 x + 2 / sqrt PI * bell x)). apply (d_mult (fun _ => 2 / sqrt PI) (fun x => RInt bell 0 x)). apply d_const. apply d_bell. unfold bell. ring. Qed.
Lemma d_erf (f : R -> R) (x a : R) : is_derive f x a -> is_derive (fun t => erf (f t)) x (2 / sqrt PI * exp (- f x ^ 2) * a).
Proof. intros. apply (d_comp f erf). assumption. apply is_derive_erf. Qed.
Lemma c_erf f x : continuity_pt f x -> continuity_pt (fun t => erf (f t)) x.
Proof. intros F. apply (c_comp f erf). exact F. eapply c_derive. apply is_derive_erf. Qed.
Lemma erf_slope x : 0 < 2 / sqrt PI * exp (- x ^ 2).
Proof. apply Rmult_lt_0_compat. apply Rdiv_lt_0_compat. lra. apply root_pi. apply exp_pos. Qed.
Lemma erf_increasing x y : x < y -> erf x < erf y.
Proof. intros L. apply (rising_strictly erf (fun t => 2 / sqrt PI * exp (- t ^ 2))). exact L. intros t _. apply is_derive_erf. intros t _. apply erf_slope. Qed.
Lemma erf_le x y : x <= y -> erf x <= erf y.
Proof. intros [L | <-]. left. apply erf_increasing. exact L. lra. Qed.
Lemma erf_opp x : erf (- x) = - erf x.
Proof.
  unfold erf. cut (RInt bell 0 x = - RInt bell 0 (- x)). intros ->. ring. apply is_RInt_unique.
  assert (S : is_RInt (fun t => opp (bell (- t))) 0 x (RInt bell 0 (- x))).
  { apply (is_RInt_comp_opp bell 0 x). rewrite Ropp_0. apply (RInt_correct (V := R_CompleteNormedModule)). apply ex_bell. }
  apply (is_RInt_opp (fun t => opp (bell (- t)))) in S. revert S. apply is_RInt_ext. intros t _. rewrite opp_opp. unfold bell. f_equal. f_equal. ring.
Qed.
Lemma erf_pos x : 0 < x -> 0 < erf x.
Proof. intros L. rewrite <- erf_zero. apply erf_increasing. exact L. Qed.
Lemma erf_nonneg x : 0 <= x -> 0 <= erf x.
Proof. intros L. rewrite <- erf_zero. apply erf_le. exact L. Qed.
Lemma lim_erf_far : filterlim erf (Rbar_locally p_infty) (locally 1).
Proof.
  assert (P := root_pi). replace 1 with (2 / sqrt PI * (Gam (1 / 2) / 2)) by (rewrite Gam_half; field; lra).
  apply (lim_mult _ (fun _ => 2 / sqrt PI) (fun x => RInt bell 0 x)). apply lim_const. apply _. apply (isInt_limit bell 0). apply bell_whole. apply c_bell.
Qed.
Lemma erf_below x : erf x < 1.
Proof.
  apply Rlt_le_trans with (erf (x + 1)). apply erf_increasing. lra. apply Rnot_lt_le. intros N.
  assert (Q : locally 1 (fun z : R => z < erf (x + 1))) by (apply (open_lt (erf (x + 1))); exact N). destruct (lim_erf_far _ Q) as [M H].
  pose proof (Rmax_l M (x + 1)). pose proof (Rmax_r M (x + 1)). specialize (H (Rmax M (x + 1) + 1) ltac:(lra)). pose proof (erf_le (x + 1) (Rmax M (x + 1) + 1) ltac:(lra)). lra.
Qed.
Lemma erf_above x : -1 < erf x.
Proof. pose proof (erf_below (- x)) as H. rewrite erf_opp in H. lra. Qed.
(* far out in one direction: f grows (falls) beyond all bounds *)
Lemma up_id : filterlim (fun t : R => t) (Rbar_locally p_infty) (Rbar_locally p_infty).
Proof. apply filterlim_id. Qed.
Lemma down_id : filterlim (fun t : R => t) (Rbar_locally m_infty) (Rbar_locally m_infty).
Proof. apply filterlim_id. Qed.
Lemma up_scaled (F : (R -> Prop) -> Prop) f c : 0 < c -> filterlim f F (Rbar_locally p_infty) -> filterlim (fun t => c * f t) F (Rbar_locally p_infty).
Proof. intros C H. apply (filterlim_comp _ _ _ f (fun u => c * u) _ _ _ H). intros P [M D]. exists (M / c). intros x X. apply D. apply (Rmult_lt_compat_l c) in X; [| exact C]. replace (c * (M / c)) with M in X by (field; lra). exact X. Qed.
Lemma down_opp (F : (R -> Prop) -> Prop) f : filterlim f F (Rbar_locally p_infty) -> filterlim (fun t => - f t) F (Rbar_locally m_infty).
Proof. intros H. apply (filterlim_comp _ _ _ f Ropp _ _ _ H). intros P [M D]. exists (- M). intros x X. apply D. lra. Qed.
Lemma up_opp (F : (R -> Prop) -> Prop) f : filterlim f F (Rbar_locally m_infty) -> filterlim (fun t => - f t) F (Rbar_locally p_infty).
Proof. intros H. apply (filterlim_comp _ _ _ f Ropp _ _ _ H). intros P [M D]. exists (- M). intros x X. apply D. lra. Qed.
Lemma down_scaled (F : (R -> Prop) -> Prop) {FF : Filter F} f c : 0 < c -> filterlim f F (Rbar_locally m_infty) -> filterlim (fun t => c * f t) F (Rbar_locally m_infty).
Proof. intros C H. apply (filterlim_ext (fun t => - (c * - f t))). intros t. ring. apply down_opp. apply (up_scaled F (fun t => - f t)). exact C. apply up_opp. exact H. Qed.
Lemma up_moved (F : (R -> Prop) -> Prop) f c : filterlim f F (Rbar_locally p_infty) -> filterlim (fun t => f t + c) F (Rbar_locally p_infty).
Proof. intros H. apply (filterlim_comp _ _ _ f (fun u => u + c) _ _ _ H). intros P [M D]. exists (M - c). intros x X. apply D. lra. Qed.
Lemma down_moved (F : (R -> Prop) -> Prop) f c : filterlim f F (Rbar_locally m_infty) -> filterlim (fun t => f t + c) F (Rbar_locally m_infty).
Proof. intros H. apply (filterlim_comp _ _ _ f (fun u => u + c) _ _ _ H). intros P [M D]. exists (M - c). intros x X. apply D. lra. Qed.
Lemma lim_erf_up (F : (R -> Prop) -> Prop) f : filterlim f F (Rbar_locally p_infty) -> filterlim (fun t => erf (f t)) F (locally 1).
Proof. intros H. apply (filterlim_comp _ _ _ f erf _ _ _ H). apply lim_erf_far. Qed.
Lemma lim_erf_down (F : (R -> Prop) -> Prop) {FF : Filter F} f : filterlim f F (Rbar_locally m_infty) -> filterlim (fun t => erf (f t)) F (locally (- 1)).
Proof. intros H. apply (lim_ext _ _ (fun t => - erf (- f t))). intros t. rewrite erf_opp. ring. apply (lim_opp F (fun t => erf (- f t))). apply lim_erf_up. apply up_opp. exact H. Qed.
(* between the ends of an interval, for numbers and boxes *)
(* far out: 1 - erf x by partial sums that alternate about it, so that what is left is a part of the next term *)
Fixpoint far_c (n : nat) : R := match n with O => 1 | S k => - far_c k * (2 * INR k + 1) / 2 end.
Fixpoint far_sum (n : nat) (h : R) : R := match n with O => 0 | S k => far_sum k h + far_c k * h ^ S (2 * k) end.
Lemma far_sign n : 0 < (-1) ^ n * far_c n.
Proof. induction n as [| k IH]. simpl. lra. cbn [far_c]. change ((-1) ^ S k) with (-1 * (-1) ^ k). pose proof (pos_INR k). replace (-1 * (-1) ^ k * (- far_c k * (2 * INR k + 1) / 2)) with ((-1) ^ k * far_c k * ((2 * INR k + 1) / 2)) by field. apply Rmult_lt_0_compat; lra. Qed.
Lemma d_far n x : x <> 0 -> is_derive (fun x => exp (- x ^ 2) * far_sum n (/ x)) x (exp (- x ^ 2) * (2 * far_c n * (/ x) ^ (2 * n) - 2)).
Proof.
  intros X. assert (E : is_derive (fun x : R => exp (- x ^ 2)) x (exp (- x ^ 2) * - (INR 2 * x ^ Nat.pred 2 * 1))).
  { d_find. }
  induction n as [| k IH].
  - simpl far_sum. apply (d_eq _ _ (exp (- x ^ 2) * - (INR 2 * x ^ Nat.pred 2 * 1) * 0 + exp (- x ^ 2) * 0)); [| simpl; ring]. apply (d_mult (fun x => exp (- x ^ 2)) (fun _ => 0)). exact E. apply d_const.
  - apply (is_derive_ext (fun x => exp (- x ^ 2) * far_sum k (/ x) + exp (- x ^ 2) * (far_c k * (/ x) ^ S (2 * k)))). intros t. cbn [far_sum]. simpl plus. change (Rplus (Rmult (exp (- t ^ 2)) (far_sum k (/ t))) (exp (- t ^ 2) * (far_c k * (/ t) ^ S (2 * k))) = exp (- t ^ 2) * (far_sum k (/ t) + far_c k * (/ t) ^ S (2 * k))). ring.
    eapply d_eq. apply (d_plus (fun x => exp (- x ^ 2) * far_sum k (/ x)) (fun x => exp (- x ^ 2) * (far_c k * (/ x) ^ S (2 * k)))). exact IH.
    apply (d_mult (fun x => exp (- x ^ 2)) (fun x => far_c k * (/ x) ^ S (2 * k))). exact E. apply (d_mult (fun _ => far_c k) (fun x => (/ x) ^ S (2 * k))). apply d_const.
    apply (d_pow Rinv). apply (d_inv (fun x => x)). apply d_id. exact X.
    replace (2 * S k)%nat with (S (S (2 * k))) by lia. rewrite (S_INR (2 * k)), (mult_INR 2 k). cbn [far_c Nat.pred pow]. simpl (INR 2). generalize ((/ x) ^ (2 * k)). intros p. field. exact X.
Qed.
Lemma far_zero n : far_sum n 0 = 0.
Proof. induction n as [| k IH]. reflexivity. cbn [far_sum pow]. rewrite IH. ring. Qed.
Lemma c_far n x : continuity_pt (far_sum n) x.
Proof. induction n as [| k IH]. apply c_const. apply (c_plus (far_sum k) (fun h => far_c k * h ^ S (2 * k))). exact IH. c_find. Qed.
Lemma lim_bell : filterlim (fun x => exp (- x ^ 2)) (Rbar_locally p_infty) (locally 0).
Proof.
  apply filterlim_locally. intros e. pose proof (cond_pos e) as E0. exists (Rmax 1 (- ln e)). intros x X. pose proof (Rmax_l 1 (- ln e)). pose proof (Rmax_r 1 (- ln e)).
  bc_ball_goal. rewrite Ropp_0, Rplus_0_r, Rabs_pos_eq by (left; apply exp_pos). rewrite <- (exp_ln e E0). apply exp_increasing. nra.
Qed.
Lemma above_limit (f f' : R -> R) a : (forall t, a <= t -> is_derive f t (f' t)) -> (forall t, a <= t -> 0 <= - f' t) -> filterlim f (Rbar_locally p_infty) (locally 0) -> 0 <= f a.
Proof.
  intros D S L. apply Rnot_lt_le. intros N. assert (Q : locally 0 (fun z : R => f a < z)) by (apply (open_gt (f a)); exact N). destruct (L _ Q) as [M H].
  pose proof (Rmax_l M a). pose proof (Rmax_r M a). specialize (H (Rmax M a + 1) ltac:(lra)). assert (f (Rmax M a + 1) <= f a); [| lra].
  apply (falling f f' a (Rmax M a + 1)). lra. intros t T. apply D. lra. intros t T. apply S. lra.
Qed.
Lemma far_side n x : 0 < x -> 0 <= (-1) ^ n * (sqrt PI * (1 - erf x) - exp (- x ^ 2) * far_sum n (/ x)).
Proof.
  intros X. assert (P := root_pi). apply (above_limit (fun x => (-1) ^ n * (sqrt PI * (1 - erf x) - exp (- x ^ 2) * far_sum n (/ x))) (fun x => - (2 * ((-1) ^ n * far_c n) * (/ x) ^ (2 * n) * exp (- x ^ 2)))).
  - intros t T. eapply d_eq. apply (d_mult (fun _ => (-1) ^ n) (fun x => sqrt PI * (1 - erf x) - exp (- x ^ 2) * far_sum n (/ x))). apply d_const.
    apply (d_minus (fun x => sqrt PI * (1 - erf x)) (fun x => exp (- x ^ 2) * far_sum n (/ x))). apply (d_mult (fun _ => sqrt PI) (fun x => 1 - erf x)). apply d_const.
    apply (d_minus (fun _ => 1) erf). apply d_const. apply is_derive_erf. apply d_far. lra. generalize ((/ t) ^ (2 * n)). intros p. field. lra.
  - intros t T. rewrite Ropp_involutive. pose proof (far_sign n). apply Rmult_le_pos; [| left; apply exp_pos]. apply Rmult_le_pos. lra. apply pow_le. left. apply Rinv_0_lt_compat. lra.
  - replace 0 with ((-1) ^ n * (sqrt PI * (1 - 1) - 0 * 0)) by ring. apply (lim_mult _ (fun _ => (-1) ^ n)). apply lim_const; apply _. apply (lim_minus _ (fun x => sqrt PI * (1 - erf x)) (fun x => exp (- x ^ 2) * far_sum n (/ x))).
    apply (lim_mult _ (fun _ => sqrt PI)). apply lim_const; apply _. apply (lim_minus _ (fun _ => 1) erf). apply lim_const; apply _. apply lim_erf_far.
    apply (lim_mult _ (fun x => exp (- x ^ 2)) (fun x => far_sum n (/ x))). apply lim_bell. apply (lim_as _ _ (far_sum n 0)); [| apply far_zero]. apply (filterlim_comp _ _ _ Rinv (far_sum n) _ _ _ lim_inverse). apply continuity_pt_filterlim. apply c_far.
Qed.
Lemma part_of a b : 0 <= a -> a <= b -> exists t, 0 <= t <= 1 /\ a = b * t.
Proof.
  intros A B. destruct (Rle_lt_or_eq_dec 0 b) as [P | <-]. lra. exists (a / b). split. split. apply Rdiv_le_0_compat; lra. apply over_le; lra. field. lra. exists 0. split; lra.
Qed.
Theorem erf_far n x : 0 < x -> exists t, 0 <= t <= 1 /\ erf x = 1 - exp (- x ^ 2) / sqrt PI * (far_sum n (/ x) + far_c n * (/ x) ^ S (2 * n) * t).
Proof.
  intros X. assert (P := root_pi). pose proof (far_side n x X) as A. pose proof (far_side (S n) x X) as B. cbn [far_sum] in B. change ((-1) ^ S n) with (-1 * (-1) ^ n) in B.
  assert (S1 : (-1) ^ n * (-1) ^ n = 1). { rewrite <- pow_add. replace (n + n)%nat with (2 * n)%nat by lia. apply pow_1_even. }
  destruct (part_of _ ((-1) ^ n * (exp (- x ^ 2) * (far_c n * (/ x) ^ S (2 * n)))) A) as (t & T & E).
  { apply Rminus_le_0. replace ((-1) ^ n * (exp (- x ^ 2) * (far_c n * (/ x) ^ S (2 * n))) - (-1) ^ n * (sqrt PI * (1 - erf x) - exp (- x ^ 2) * far_sum n (/ x))) with (-1 * (-1) ^ n * (sqrt PI * (1 - erf x) - exp (- x ^ 2) * (far_sum n (/ x) + far_c n * (/ x) ^ S (2 * n)))) by ring. exact B. }
  exists t. split. exact T. apply (f_equal (Rmult ((-1) ^ n))) in E. rewrite <- !(Rmult_assoc ((-1) ^ n)), S1, Rmult_1_l in E. apply (Rmult_eq_reg_l (sqrt PI)); [| lra].
  replace (sqrt PI * (1 - exp (- x ^ 2) / sqrt PI * (far_sum n (/ x) + far_c n * (/ x) ^ S (2 * n) * t))) with (sqrt PI - exp (- x ^ 2) * (far_sum n (/ x) + far_c n * (/ x) ^ S (2 * n) * t)) by (field; lra). lra.
Qed.
(* a value of the error function by an integral that is computed; in a box by its slope between the ends *)
Lemma erf_number c l u : l <= RInt (fun t => exp (- t ^ 2)) (7919 - 7919) c <= u -> 2 / sqrt PI * l <= erf c <= 2 / sqrt PI * u.
Proof.
  replace (7919 - 7919) with 0 by ring. intros B. assert (P : 0 <= 2 / sqrt PI) by (left; apply Rdiv_lt_0_compat; [lra | apply root_pi]).
  unfold erf, bell. split; apply Rmult_le_compat_l; lra.
Qed.
Lemma erf_mean a b c m : a <= c <= b -> a <= m <= b -> exists t, a <= t <= b /\ erf c = erf m + 2 / sqrt PI * exp (- t ^ 2) * (c - m).
Proof.
  intros B M. destruct (Rtotal_order c m) as [L | [-> | L]]; [| exists m; split; [exact M | ring] |].
  - destruct (MVT_cor2 erf (fun t => 2 / sqrt PI * exp (- t ^ 2)) c m L) as [t [E I]]. intros t _. apply is_derive_Reals. apply is_derive_erf. exists t. split; lra.
  - destruct (MVT_cor2 erf (fun t => 2 / sqrt PI * exp (- t ^ 2)) m c L) as [t [E I]]. intros t _. apply is_derive_Reals. apply is_derive_erf. exists t. split; lra.
Qed.
Ltac bc_moves c := match goal with x : R |- _ => lazymatch c with context [x] => idtac end end.
(* (an odd 0, since integral_intro takes no end that is a part of the other) *)
Ltac bc_erf_name c := generalize dependent (erf c); intros.
Ltac bc_erf_at c := let B := fresh "B" in integral_intro (RInt (fun t => exp (- t ^ 2)) (7919 - 7919) c) with (i_prec 80, i_relwidth 40) as B; apply erf_number in B; bc_erf_name c.
Ltac bc_erf_near c := let B := fresh "B" in integral_intro (RInt (fun t => exp (- t ^ 2)) (7919 - 7919) c) with (i_relwidth 20) as B; apply erf_number in B; bc_erf_name c.
Ltac bc_erf_in c := let B := fresh "B" in let M := fresh "M" in let t := fresh "t" in let T := fresh in let E := fresh in
  interval_intro c as B; match type of B with ?a <= _ <= ?b => interval_intro ((a + b) / 2) with (i_prec 20) as M; match type of M with ?m <= _ <= _ => clear M;
    destruct (erf_mean a b c m B) as (t & T & E); [split; lra |]; rewrite E; clear E B; bc_erf_near m end end.
(* a box cut in halves, as often as that needs, where a formula has the error function: by its slope, or by its series far out *)
Ltac bc_erf_tail n x := match goal with |- context [erf x] => let P := fresh "P" in let t := fresh "t" in let T := fresh "T" in let E := fresh "E" in
  assert (P : 0 < x) by lra; destruct (erf_far n x P) as (t & T & E); rewrite E; clear E end;
  cbn [far_sum far_c Nat.mul Nat.add]; simpl INR; rewrite ?exp_Ropp, <- ?(rpw_half PI) by (left; apply PI_RGT_0);
  assert (0 < exp (x ^ 2)) by apply exp_pos; assert (0 < rpw PI (1 / 2)) by (apply rpw_pos, PI_RGT_0);
  match goal with |- _ <= ?e => field_simplify e; [| repeat split; try lra; apply Rgt_not_eq; bc_sgn ..] | |- _ < ?e => field_simplify e; [| repeat split; try lra; apply Rgt_not_eq; bc_sgn ..] end;
  bc_to_exp; interval with (i_bisect x).
Ltac bc_split_box x n := match goal with |- context [erf _] => bc_bounds; bc_gap; bc_split_more x n end
with bc_split_more x n := first [timeout 5 (bc_erf_tail 3%nat x) | assert (1 <= x) by lra; timeout 8 (bc_erf_tail 6%nat x) | bc_to_exp; timeout 5 interval with (i_bisect x) | lazymatch n with S ?k => let B := fresh in interval_intro x as B;
  match type of B with ?a <= _ <= ?b => let L := fresh in clear B; destruct (Rle_or_lt x ((a + b) / 2)) as [L | L]; [| apply Rlt_le in L]; bc_split_more x k end end].
Ltac bc_erf_values := repeat match goal with
  | |- context [erf (- ?c)] => rewrite (erf_opp c)
  | |- context [erf ?c] => tryif bc_moves c then fail else (replace (erf c) with 0 by (apply erf_null; bc_field))
  | |- context [erf ?c] => match goal with |- context [erf ?d] => tryif constr_eq c d then fail else replace (erf d) with (erf c) by (f_equal; first [bc_field | bc_by_ln | bc_root_of]) end
  end.
Ltac bc_erf_ends := repeat match goal with |- context [erf ?c] => lazymatch goal with _ : erf c < 1 |- _ => fail | _ => pose proof (erf_below c); pose proof (erf_above c) end end.
(* where f goes: to infinity above or below, by its shape *)
Ltac bc_far := lazymatch goal with
  | |- filterlim (fun t : R => t) (Rbar_locally p_infty) _ => apply up_id
  | |- filterlim (fun t : R => t) (Rbar_locally m_infty) _ => apply down_id
  | |- filterlim (fun t : R => - @?f t) _ (Rbar_locally p_infty) => apply up_opp; bc_far
  | |- filterlim (fun t : R => - @?f t) _ (Rbar_locally m_infty) => apply down_opp; bc_far
  | |- filterlim (fun t : R => ?c * @?f t) _ (Rbar_locally p_infty) => apply (up_scaled _ f); [bc_side | bc_far]
  | |- filterlim (fun t : R => ?c * @?f t) _ (Rbar_locally m_infty) => apply (down_scaled _ f); [bc_side | bc_far]
  | |- filterlim (fun t : R => @?f t + ?c) _ (Rbar_locally p_infty) => apply (up_moved _ f); bc_far
  | |- filterlim (fun t : R => @?f t + ?c) _ (Rbar_locally m_infty) => apply (down_moved _ f); bc_far
  | |- filterlim (fun t : R => @?f t - ?c) _ _ => apply (filterlim_ext (fun t => f t + - c)); [intros; ring | bc_far]
  | |- filterlim (fun t : R => @?f t / ?c) _ _ => apply (filterlim_ext (fun t => / c * f t)); [intros; unfold Rdiv; ring | bc_far]
  | |- filterlim (fun t : R => @?f t * ?c) _ _ => apply (filterlim_ext (fun t => c * f t)); [intros; ring | bc_far]
  end.
Ltac bc_special_limit ::= lazymatch goal with
  | |- filterlim erf (Rbar_locally p_infty) _ => apply lim_erf_far | |- filterlim erf _ _ => apply (lim_erf_down _ (fun t => t)); bc_far
  | |- filterlim (fun t : R => erf (@?f t)) _ _ => first [apply (lim_erf_up _ f); bc_far | apply (lim_erf_down _ f); bc_far]
  end.
Ltac d_special ::= lazymatch goal with |- is_derive erf _ _ => apply is_derive_erf | |- is_derive (fun t : R => erf (@?f t)) _ _ => apply (d_erf f); d_find end.
Ltac c_special ::= lazymatch goal with |- continuity_pt erf _ => apply (c_erf (fun t => t)); c_find | |- continuity_pt (fun t : R => erf (@?f t)) _ => apply (c_erf f); c_find end.
Ltac bc_special_last ::= match goal with |- context [erf ?x] => bc_erf_ends; lra end.
Ltac bc_special_box ::= repeat match goal with |- context [erf ?c] => tryif bc_moves c then bc_erf_in c else bc_erf_at c end.
Ltac bc_special_sign ::= lazymatch goal with
  | |- 0 < Gam _ => apply Gam_pos; bc_sgn | |- 0 <= Gam _ => apply Gam_nonneg; bc_sgn
  | |- 0 < erf _ => first [solve [apply erf_pos; bc_sgn] | bc_last] | |- 0 <= erf _ => first [solve [apply erf_nonneg; bc_sgn] | bc_last]
  end.
(* at numbers: down to 1 or to 1 / 2 *)
Ltac bc_special_gamma ::= match goal with |- context [Gam ?x] => tryif bc_moves x then fail else first
  [ replace (Gam x) with 1 by (transitivity (Gam 1); [symmetry; apply Gam_1 | f_equal; lra]) | replace (Gam x) with (sqrt PI) by (rewrite <- Gam_half; f_equal; lra)
  | rewrite (Gam_down x) by lra ] end.
Ltac bc_special_value ::= progress (repeat match goal with |- context [Gam (?x + 1)] => rewrite (Gam_next x) by first [lra | bc_sgn] end;
  bc_factorials; bc_erf_values); first [bc_field | rewrite <- (rpw_half PI) by (left; apply PI_RGT_0); bc_field | bc_ln;
    repeat match goal with |- context [ln (?a + ?b)] => match goal with |- context [ln (b + a)] => rewrite (Rplus_comm a b) end end; bc_field].
(* the leaf of a cover: what follows this is faster *)
Ltac bc_cover ::= lazymatch goal with |- context [erf _] => lra | _ => bc_settle end.
Ltac bc_special_number ::= bc_factorials; match goal with |- context [erf _] => bc_erf_ends; try lra | _ => idtac end.

(* ------------------------------------------------------------------ residues *)

Fixpoint residues (x q : R) (m : R) (n : nat) (r : R) : Prop := match n with
  | O => False
  | S O => x = m * q + r
  | S k => x = m * q + r \/ residues x q m k (r + 1)
  end.
Lemma residues_of x q m n r : (exists k, (k < n)%nat /\ x = m * q + r + INR k) -> residues x q m n r.
Proof.
  revert r. induction n as [| n IH]; intros r (k & K & E). lia. destruct n as [| n].
  - assert (k = O) by lia. subst k. simpl in *. lra.
  - destruct k as [| k]. left. simpl in E. lra. right. apply IH. exists k. split. lia. rewrite S_INR in E. lra.
Qed.
Lemma int_class x (m : nat) : (0 < m)%nat -> isint x -> exists q, isint q /\ residues x q (INR m) m 0.
Proof.
  intros M [z E]. exists (IZR (z / Z.of_nat m)). split. apply isint_IZR. apply residues_of.
  exists (Z.to_nat (z mod Z.of_nat m)). assert (P : (0 < Z.of_nat m)%Z) by lia. pose proof (Z.mod_pos_bound z _ P) as B. split. lia.
  rewrite !INR_IZR_INZ, Z2Nat.id by lia. rewrite Rplus_0_r, <- mult_IZR, <- plus_IZR, E. f_equal. apply Z.div_mod. lia.
Qed.
Lemma no_multiple (m r : Z) (k : R) : (0 < r < m)%Z -> isint k -> IZR m * k + IZR r = 0 -> False.
Proof. intros B [z ->] E. rewrite <- mult_IZR, <- plus_IZR in E. apply eq_IZR in E. assert (C : (r = - (m * z))%Z) by lia. destruct (Z_le_gt_dec z (-1)); nia. Qed.
Ltac bc_multiple d H := apply (Rmult_eq_reg_l 1); [| lra]; let G := fresh in pose proof (f_equal (fun u => d * u) H) as G; cbv beta in G; lra || nra.
