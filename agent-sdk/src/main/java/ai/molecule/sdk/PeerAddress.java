package ai.molecule.sdk;

import java.net.URI;
import java.util.Optional;

/**
 * Where a peer is called.
 *
 * @param token proves there, and nowhere else, who calls, for at least half a minute; empty where the platform signs none
 */
record PeerAddress(URI url, Optional<String> token) {}
