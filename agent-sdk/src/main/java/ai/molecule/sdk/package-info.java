/**
 * The client an agent uses to join a platform: it registers, reports that it lives, finds its peers and talks to them.
 *
 * <p>Open {@link ai.molecule.sdk.RemoteAgentClient} first: everything an agent does is one of its methods. {@link
 * ai.molecule.sdk.PollDelivery} and {@link ai.molecule.sdk.PushDelivery} bring messages to a {@link
 * ai.molecule.sdk.MessageHandler}; {@code AgentLoop} keeps both alive. Below them {@link ai.molecule.sdk.PlatformClient} speaks to
 * the platform's registry, {@link ai.molecule.sdk.A2aClient} to other agents, and {@link ai.molecule.sdk.TokenFile} keeps the one
 * secret an agent has; {@code identity} checks what the platform signed. Everything blocks, is safe to share between threads, and answers an interrupt at once. The package knows
 * the JDK, Jackson and SnakeYAML and nothing of the platform's own code, so that any Java 17 program can carry it.
 */
@NullMarked
package ai.molecule.sdk;

import org.jspecify.annotations.NullMarked;
