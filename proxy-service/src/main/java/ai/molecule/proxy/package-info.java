/** The front door and the A2A proxy. */
@NullMarked
package ai.molecule.proxy;

import org.jspecify.annotations.NullMarked;
