/**
 * Agents that sleep. {@code IdlePolicy} says after how long, {@code PgHibernationStore} puts one to sleep under its row's lock, {@code
 * HibernationService} looks for those that are idle, in one replica at a time. Waking is a start like any other, and is the lifecycle's.
 */
@NullMarked
package ai.molecule.registry.hibernation;

import org.jspecify.annotations.NullMarked;
