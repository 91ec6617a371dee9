/** What happened in an agent's session, as the agent itself tells it: asked for through the platform, kept by nobody here. */
@NullMarked
package ai.molecule.proxy.transcripts;

import org.jspecify.annotations.NullMarked;
