/**
 * Time travel: the org chart of any moment within retention, rebuilt from the event log. Structural events carry name, role,
 * parent and status (decision 26), so a chart is a snapshot with the events after it applied in order. A reconciler takes a
 * snapshot a day and then deletes what no kept snapshot needs.
 */
@NullMarked
package ai.molecule.events.history;

import org.jspecify.annotations.NullMarked;
