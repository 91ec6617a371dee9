/**
 * The agent as other agents see it: A2A 0.3 over JSON-RPC, 1.0 over JSON-RPC and HTTP+JSON, and the agent card.
 *
 * <p>A request passes {@link ai.molecule.runtime.a2a.A2aServer} ({@link ai.molecule.runtime.a2a.Route}, {@link
 * ai.molecule.runtime.a2a.Access}, sizes) and {@link ai.molecule.runtime.a2a.RpcEndpoint}, becomes an
 * {@link ai.molecule.runtime.a2a.RpcRequest}, and {@link ai.molecule.runtime.a2a.A2aMethods}, a table of contents of the
 * protocol, answers it. A {@link ai.molecule.runtime.a2a.WireForm} is a version of the protocol, in words only: it reads messages and writes
 * tasks; {@link ai.molecule.runtime.a2a.Dialect} decides in which of its two forms 0.3 is meant. Streams are written by
 * {@link ai.molecule.runtime.a2a.SseStream} no faster than they are read. Whatever goes wrong becomes an
 * {@link ai.molecule.runtime.a2a.RpcError}; a caller sees JSON, never a stack and never a connection that just closes.
 */
@NullMarked
package ai.molecule.runtime.a2a;

import org.jspecify.annotations.NullMarked;
