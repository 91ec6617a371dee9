/**
 * Activity: what agents did and said, as any service appends it ({@code common/activity}): listed, kept for so many days, waited for; also the feed that agents without an address poll.
 */
@NullMarked
package ai.molecule.events.activity;

import org.jspecify.annotations.NullMarked;
