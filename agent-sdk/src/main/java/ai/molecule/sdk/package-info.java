/**
 * The client an agent uses to join a platform: it registers, reports that it lives, finds its peers and talks to them.
 *
 * <p>Three classes are worth opening first. {@link ai.molecule.sdk.PlatformClient} speaks to the platform,
 * {@link ai.molecule.sdk.A2aClient} to other agents, and {@link ai.molecule.sdk.TokenFile} keeps the one secret an agent
 * has. Everything blocks, is safe to share between threads, and answers an interrupt at once. The package knows the JDK
 * and Jackson and nothing of the platform's own code, so that any Java 17 program can carry it.
 */
@NullMarked
package ai.molecule.sdk;

import org.jspecify.annotations.NullMarked;
