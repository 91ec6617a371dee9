/**
 * How much waits in the platform: messages for busy agents, and delegations without an outcome. Counted in the database, where all
 * of it is, so that every replica says the same; for people who watch, nothing is decided by it.
 */
@NullMarked
package ai.molecule.proxy.backlog;

import org.jspecify.annotations.NullMarked;
