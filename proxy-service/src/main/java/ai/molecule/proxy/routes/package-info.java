/**
 * Where agents are and who may talk to whom, as the registry says, remembered briefly.
 */
@NullMarked
package ai.molecule.proxy.routes;

import org.jspecify.annotations.NullMarked;
