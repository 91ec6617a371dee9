/**
 * Pages of the web for a model: {@link ai.molecule.runtime.fetch.FetchTool}. {@link ai.molecule.runtime.fetch.Networks} says which
 * addresses may be reached, {@link ai.molecule.runtime.fetch.PageLoader} connects to the address that was looked at and to no other, and {@link
 * ai.molecule.runtime.fetch.PageText} leaves of HTML what a reader would read.
 */
@NullMarked
package ai.molecule.runtime.fetch;

import org.jspecify.annotations.NullMarked;
