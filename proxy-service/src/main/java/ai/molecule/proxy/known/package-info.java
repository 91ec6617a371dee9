/**
 * Tasks as agents name them: the last status of each that went through the platform, written in groups and kept for a week. With it the
 * platform lists the tasks of agents that keep no list themselves (docs/adr/0052).
 */
@NullMarked
package ai.molecule.proxy.known;

import org.jspecify.annotations.NullMarked;
