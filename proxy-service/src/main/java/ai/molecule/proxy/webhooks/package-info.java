/**
 * Incoming webhooks: what others send, signed, becomes a piece of work, once ({@link ai.molecule.proxy.webhooks.IncomingWebhooks}). A
 * delivery and its work are one transaction, so 2xx says that both are kept (docs/adr/0081).
 */
@NullMarked
package ai.molecule.proxy.webhooks;

import org.jspecify.annotations.NullMarked;
