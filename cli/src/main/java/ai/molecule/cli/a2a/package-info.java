/**
 * {@code molecule a2a}: a workspace's peers from a shell, for agents that have one and no tools. A person reads columns, a
 * program adds {@code --json}.
 */
@NullMarked
package ai.molecule.cli.a2a;

import org.jspecify.annotations.NullMarked;
