package ai.molecule.runtime.a2a;

/** What whoever calls this agent must show: {@code MOLECULE_A2A_REQUIRE_TOKEN}. A pair token is checked wherever one is shown. */
public enum CallerProof {
    /** Nothing: where everybody who reaches the agent may call it. */
    NONE,
    /** {@code true}: a pair token, which the platform shows too, or the agent's own. */
    ANY_TOKEN,
    /** {@code pair}: a pair token and nothing else. */
    PAIR_TOKEN
}
