/**
 * Where messages go: routes for the proxy, endpoints from the provisioner, the time of the last word sent.
 */
@NullMarked
package ai.molecule.registry.endpoints;

import org.jspecify.annotations.NullMarked;
