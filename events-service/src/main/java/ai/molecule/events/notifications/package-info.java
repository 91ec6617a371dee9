/**
 * Telling people who are not looking: what comes into the inbox is put into an outbox in the same transaction ({@link
 * ai.molecule.events.notifications.PgNotificationOutbox}), and each target is told one thing after the other, by one replica at a time
 * ({@link ai.molecule.events.notifications.NotificationRounds}), until it takes it (docs/adr/0080).
 */
@NullMarked
package ai.molecule.events.notifications;

import org.jspecify.annotations.NullMarked;
