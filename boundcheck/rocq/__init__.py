"""Certificates and statements as text that Rocq (Coq) compiles: generators, trusted by nobody, and the run of coqc."""
