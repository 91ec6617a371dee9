/**
 * When a schedule's ticks are, and what a schedule says: shared by the service that runs schedules and the one that imports them, so that
 * both refuse the same in the same words. Decided without clock, network or store; docs/adr/0049.
 */
@NullMarked
package ai.molecule.common.schedules;

import org.jspecify.annotations.NullMarked;
