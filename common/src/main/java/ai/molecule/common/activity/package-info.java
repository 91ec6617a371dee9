/**
 * Activity as a log: what agents did and said, appended by any service in the transaction of what happened
 * (db/log/V021__activity.sql). events-service lists it, keeps it for so many days, and wakes who waits for it.
 */
@NullMarked
package ai.molecule.common.activity;

import org.jspecify.annotations.NullMarked;
