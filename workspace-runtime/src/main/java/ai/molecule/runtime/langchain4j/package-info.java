/**
 * Agents that are a language model behind an endpoint that speaks OpenAI's chat completions, through LangChain4j.
 * {@link ai.molecule.runtime.langchain4j.ModelExecutor} makes a conversation of a message and streams the model's words,
 * {@link ai.molecule.runtime.langchain4j.OfferedTools} and {@link ai.molecule.runtime.langchain4j.ToolCalls} let it use the tools,
 * {@link ai.molecule.runtime.langchain4j.ModelEndpoint} says which model is asked where,
 * {@link ai.molecule.runtime.langchain4j.EndpointHttp} carries the calls so that a cancelled task ends its call and an
 * endpoint that never stops or never speaks is left, and {@link ai.molecule.runtime.langchain4j.ModelTrouble} is what
 * the sender learns of a call that failed. No class of LangChain4j is loaded in agents of other kinds.
 */
@NullMarked
package ai.molecule.runtime.langchain4j;

import org.jspecify.annotations.NullMarked;
