/**
 * Contracts served by provisioner-service.
 */
@NullMarked
package ai.molecule.common.bus.provisioner;

import org.jspecify.annotations.NullMarked;
