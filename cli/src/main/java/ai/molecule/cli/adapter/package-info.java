/** {@code molecule adapter}: a beginning for an agent of a kind of one's own, and whether it keeps to the contract (docs/adapters.md). */
@NullMarked
package ai.molecule.cli.adapter;

import org.jspecify.annotations.NullMarked;
