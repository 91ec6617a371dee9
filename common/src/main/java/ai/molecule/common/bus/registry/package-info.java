/**
 * Contracts served by registry-service, the only writer of a workspace's status.
 */
@NullMarked
package ai.molecule.common.bus.registry;

import org.jspecify.annotations.NullMarked;
