/**
 * Work: what a person asked for, with everything that agents did for it. A piece of work is made of the tasks and delegations that there
 * are; nothing is copied but what was said, which is kept as long as the work.
 */
@NullMarked
package ai.molecule.proxy.work;

import org.jspecify.annotations.NullMarked;
