/**
 * The platform as its users meet it: started with {@code ./molecule}, spoken to over HTTP and WebSocket, killed without warning.
 */
package ai.molecule.system;
