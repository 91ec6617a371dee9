/**
 * {@code /ws}: who may connect, one-time tickets for browsers, and the WebSocket side of a subscriber.
 */
@NullMarked
package ai.molecule.events.sockets;

import org.jspecify.annotations.NullMarked;
