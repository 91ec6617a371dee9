/**
 * Who exists and under whom, as the registry tells it: kept briefly, used to decide which events an agent may see, to name senders, and to
 * show people of a branch what is in it.
 */
@NullMarked
package ai.molecule.common.directory;

import org.jspecify.annotations.NullMarked;
