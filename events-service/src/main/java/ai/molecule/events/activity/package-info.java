/**
 * Activity: what agents did and said, stored, announced and listed; also the feed that agents without an address poll.
 */
@NullMarked
package ai.molecule.events.activity;

import org.jspecify.annotations.NullMarked;
