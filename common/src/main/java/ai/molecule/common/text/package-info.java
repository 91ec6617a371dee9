/**
 * Text of others in front of people: which characters show nothing, which letters look like others, and how both are made visible where
 * somebody decides.
 */
@NullMarked
package ai.molecule.common.text;

import org.jspecify.annotations.NullMarked;
