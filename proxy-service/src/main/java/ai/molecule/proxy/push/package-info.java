/**
 * Push notifications of A2A, for agents of every version: the platform keeps who wants to be told of which task ({@link
 * ai.molecule.proxy.push.PushService}), looks at these tasks ({@link ai.molecule.proxy.push.TaskLooks}), and tells what changed from an
 * outbox ({@link ai.molecule.proxy.push.PushDelivery}). Both run on leases, so a proxy may die at any step (docs/adr/0055).
 */
@NullMarked
package ai.molecule.proxy.push;

import org.jspecify.annotations.NullMarked;
