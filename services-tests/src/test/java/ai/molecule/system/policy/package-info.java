/** Rules of the policy, from the route that takes them to the message that they refuse. */
@NullMarked
package ai.molecule.system.policy;

import org.jspecify.annotations.NullMarked;
