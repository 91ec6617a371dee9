package ai.molecule.runtime.a2a;

/** What whoever calls this agent must show: {@code MOLECULE_A2A_REQUIRE_TOKEN}. A pair token is checked wherever one is shown. */
public enum CallerProof {
    /** {@code false}: nothing, where everybody who reaches the agent may call it. */
    NONE,
    /** When nothing is said: a pair token, or nothing from the machine that the agent runs on. */
    ELSEWHERE,
    /** {@code true}: a pair token, which the platform shows too, or the agent's own. */
    ANY_TOKEN,
    /** {@code pair}, as in production: a pair token and nothing else. */
    PAIR_TOKEN
}
