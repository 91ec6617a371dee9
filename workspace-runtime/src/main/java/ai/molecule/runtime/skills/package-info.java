/**
 * What an agent finds in its folders: skills, each a folder with a {@code SKILL.md}, and plugins, which bring rules, further
 * texts and skills of their own. Everything is read when it is asked for, so what was put there a moment ago counts; what
 * cannot be read is left out and does not keep the rest from being used.
 */
@NullMarked
package ai.molecule.runtime.skills;

import org.jspecify.annotations.NullMarked;
