/**
 * Messages for agents that said they are busy. Each waits in PostgreSQL until a heartbeat shows capacity or a slow timer looks
 * again; of one target one leaves at a time, in order, whatever the number of replicas. Only the agent's own 429 or 503 brings a
 * message here, so it was never run; once sent again the same care holds as for delegations.
 */
@NullMarked
package ai.molecule.proxy.queue;

import org.jspecify.annotations.NullMarked;
