package ai.molecule.runtime.agent;

/**
 * One call of a model, for whoever wants to know what an answer costs.
 *
 * @param model as it was asked for
 * @param tokensIn as its endpoint counts them; 0 when it does not, as {@code tokensOut}
 */
public record ModelTurn(String model, long tokensIn, long tokensOut) {}
