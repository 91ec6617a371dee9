/** When a replica may take what others held, or call them dead: the rules for outages that all loops of this kind keep. */
@NullMarked
package ai.molecule.common.leases;

import org.jspecify.annotations.NullMarked;
