package ai.molecule.provisioner.backend;

/**
 * The one place whose agents a backend sees.
 *
 * @param id the same after a restart, and of no other place
 * @param place what a person calls it, for sentences
 */
public record AgentHost(String id, String place) {}
