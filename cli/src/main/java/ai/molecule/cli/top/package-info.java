/**
 * {@code molecule top}: a platform on a whole screen, as it happens. In three parts that know nothing of each other's insides. What is known
 * is {@link Dashboard}, which hears events and keys and answers with what somebody wants done; it knows no terminal and no network. How that
 * looks is {@link Drawing}, a function from a dashboard and a size to lines. {@link Feed} brings what happens and carries out what is wanted,
 * {@link Tty} is the terminal; {@link TopCommand} lets one thread pass what comes from both on to the dashboard.
 */
@NullMarked
package ai.molecule.cli.top;

import org.jspecify.annotations.NullMarked;
