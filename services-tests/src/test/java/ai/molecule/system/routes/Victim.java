package ai.molecule.system.routes;

/**
 * A workspace that has no business with any other: two floors below a root of its own.
 *
 * @param mark stands in everything that only it and people may read
 */
record Victim(String id, String mark) {}
