package ai.molecule.proxy.leases;

import java.util.UUID;

/** Which row, and the number that proves that it is still held. */
public record Claim(UUID id, long claim) {}
