package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.Capabilities;
import ai.molecule.runtime.agent.GivenModels;
import ai.molecule.runtime.agent.NotReady;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.Provenance;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.Said;
import ai.molecule.runtime.agent.Skill;
import ai.molecule.runtime.agent.SystemPrompt;
import ai.molecule.runtime.agent.Transcript;
import ai.molecule.runtime.agent.Wedge;
import ai.molecule.runtime.processes.ProcessRoom;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

/**
 * Answers with what a program says. A run that fails is told by its kind; what the program complained of stays in the log. A program that
 * is known goes on with the session it has of a conversation, over restarts too, also in the middle of a task; others are told what was said before.
 */
final class CliExecutor implements AgentExecutor {

    /** Programs that run at the same time; further messages wait for their turn. */
    static final int RUNS_MAX = 8;

    private static final String SESSION_ERROR = "session_error";
    private static final String INTERRUPTED =
            "You were interrupted while you worked on the message below. See what of it is done, and go on.\n\n";
    private static final Capabilities KEEPS_SESSIONS = new Capabilities(false, false, true, false, false, false, false);

    private final Runs runs;
    private final Optional<ModelPort> models;
    private final AgentSetup setup;
    private final Optional<KnownProgram> known;
    private final SystemPrompt systemPrompt;
    private final Semaphore turns = new Semaphore(RUNS_MAX, true);
    private final Sessions sessions = new Sessions();
    private final Wedge wedge = new Wedge();
    private final Skill skill;
    private final Optional<OwnLogin> login;

    /** Whose program may look and change nothing. */
    CliExecutor(AgentSetup setup) {
        this(setup, new ProgramAllowance(Permission.READ), Optional.empty());
    }

    /**
     * @param login its own, which is not metered; empty where it asks the platform's models
     * @throws ai.molecule.runtime.agent.NotReady when there is nothing to start, it is not installed, or it needs more than it is allowed
     */
    CliExecutor(AgentSetup setup, ProgramAllowance allowance, Optional<OwnLogin> login) {
        this(setup, allowance, login, ProcessRoom.ofThisAgent());
    }

    CliExecutor(AgentSetup setup, ProgramAllowance allowance, Optional<OwnLogin> login, ProcessRoom room) {
        this.login = login;
        this.setup = setup;
        this.known = KnownProgram.of(setup.runtime(), setup.command());
        this.models = GivenModels.in(setup.environment()).map(CliExecutor::opened);
        this.runs = new Runs(
                CliCommand.of(setup, allowance),
                setup.systemPrompt(),
                known,
                allowance.permission(),
                models,
                login,
                room);
        this.systemPrompt = setup.systemPrompt();
        this.skill = new Skill(
                setup.runtime(), setup.runtime(), "Works on a task with a program of its own.", List.of("cli"));
    }

    private static ModelPort opened(GivenModels given) {
        try {
            return new ModelPort(given);
        } catch (IOException noPort) {
            throw new NotReady("Model", "no port is free on this machine", "Start it again.");
        }
    }

    @Override
    public Skill skill() {
        return skill;
    }

    @Override
    public List<Skill> skills() {
        return Stream.concat(Stream.of(skill), systemPrompt.skills().stream()).toList();
    }

    @Override
    public Capabilities capabilities() {
        return known.isPresent() ? KEEPS_SESSIONS : Capabilities.NONE;
    }

    @Override
    public boolean hasOwnLogin() {
        return login.isPresent();
    }

    @Override
    public Optional<String> wedged() {
        return wedge.reason();
    }

    @Override
    public Transcript transcript(int since, int limit) {
        return known.equals(Optional.of(KnownProgram.CLAUDE))
                ? SessionFile.read(sessions.last(), setup.environment(), since, limit)
                : Transcript.none(since);
    }

    @Override
    public ObjectNode stateToKeep() {
        return known.isPresent() ? sessions.toJson() : AgentExecutor.super.stateToKeep();
    }

    @Override
    public void restore(JsonNode state) {
        sessions.restore(state);
    }

    @Override
    public void close() {
        models.ifPresent(ModelPort::close);
        systemPrompt.close();
    }

    @Override
    public void answer(Prompt prompt, Reply reply) throws InterruptedException {
        turns.acquire();
        try {
            String failure =
                    known.isPresent() ? converse(known.get(), prompt, reply) : say(prompt, new PlainOutput(reply));
            if (failure.isEmpty()) {
                wedge.free();
                return;
            }
            String sentence = "the command failed (" + failure + "), see the workspace log";
            if (Runs.WANTS_A_PERSON.contains(failure)) {
                wedge.stuck(sentence);
            }
            throw new AgentFailure(sentence);
        } catch (OwnLogin.UsedUp enough) {
            reply.ask(String.valueOf(enough.getMessage()));
        } finally {
            turns.release();
        }
    }

    @Override
    public boolean resumes() {
        return known.isPresent();
    }

    /** Empty when all went well. */
    private String say(Prompt prompt, Output output) throws InterruptedException {
        return runs.run(prompt, words(prompt), Optional.empty(), output);
    }

    /** A session that the program has lost is begun anew, with what was said before. */
    private String converse(KnownProgram program, Prompt prompt, Reply reply) throws InterruptedException {
        Optional<String> interrupted = interrupted(reply);
        Optional<String> session = interrupted.or(() -> sessions.take(prompt.contextId()));
        var output = reading(program, reply);
        try {
            if (session.isEmpty()) {
                return say(prompt, output);
            }
            String message = (interrupted.isPresent() ? INTERRUPTED : "") + asked(prompt);
            String failure = runs.run(prompt, message, session, output);
            if (!failure.equals(SESSION_ERROR) || output.spoken()) {
                return failure;
            }
            session = Optional.empty();
            output = reading(program, reply);
            return say(prompt, output);
        } finally {
            Optional<String> before = session;
            output.session().or(() -> before).ifPresent(each -> sessions.put(prompt.contextId(), each));
        }
    }

    private EventOutput reading(KnownProgram program, Reply reply) {
        var output = program.reading(reply);
        login.ifPresent(own -> output.eachStep(own::step));
        return output;
    }

    /** The session in which the agent's end met this very message. */
    private static Optional<String> interrupted(Reply reply) {
        List<JsonNode> done = reply.steps().done();
        return done.isEmpty()
                ? Optional.empty()
                : Optional.of(done.getLast().path("session").asText("")).filter(Sessions::isId);
    }

    /** The message alone, or after the conversation it belongs to. */
    private String words(Prompt prompt) {
        List<Said> before = Said.before(prompt);
        if (before.isEmpty()) {
            return asked(prompt);
        }
        var words = new StringBuilder("The conversation so far:\n");
        before.forEach(said -> words.append(said.byUser() ? "User: " : "You: ")
                .append(said.text())
                .append('\n'));
        return words.append("\nThe message to answer:\n").append(asked(prompt)).toString();
    }

    /** Who speaks stands in front of it where a model reads it; a program of one's own gets the message and nothing else. */
    private String asked(Prompt prompt) {
        return known.isPresent() ? Provenance.before(prompt.text()) : prompt.text();
    }
}
