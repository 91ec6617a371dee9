/** The page in a real Chromium: its own logic, the whole of it against a staged platform, and its types where Node is found. */
@NullMarked
package ai.molecule.canvas;

import org.jspecify.annotations.NullMarked;
