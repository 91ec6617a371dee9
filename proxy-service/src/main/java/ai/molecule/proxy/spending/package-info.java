/** What the organization lets each run and each day cost. What counts against it is kept, and refused, in {@code models}. */
@NullMarked
package ai.molecule.proxy.spending;

import org.jspecify.annotations.NullMarked;
