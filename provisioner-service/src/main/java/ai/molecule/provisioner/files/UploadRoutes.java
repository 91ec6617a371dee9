package ai.molecule.provisioner.files;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.AsyncFile;
import io.vertx.core.file.OpenOptions;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerFileUpload;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/** Takes what people and agents attach to a chat; each file goes to the disk as it comes, none is held in memory. */
public final class UploadRoutes {

    private static final Pattern BOUNDARY =
            Pattern.compile("multipart/form-data;.*boundary=\"?([^\";]{1,70})\"?.*", Pattern.CASE_INSENSITIVE);

    /** Once a form is there as a whole, its last bytes are on their way to the disk only. */
    private static final Duration DISK_MAX = Duration.ofSeconds(30);

    private static final String FIELD = "files";
    private static final String OWNER_ONLY = "rwx------";
    private static final int FILES_MAX = 100;
    private static final long FILE_MAX_BYTES = 25L * 1024 * 1024;

    /** All files together; what multipart adds to them comes on top, see {@link #BOUNDARIES_MAX_BYTES}. */
    private static final long TOTAL_MAX_BYTES = 50L * 1024 * 1024;

    /** Enough for a boundary and what may follow it. */
    private static final int TAIL_BYTES = 256;

    private static final long BOUNDARIES_MAX_BYTES = 64L * 1024;

    private final Vertx vertx;
    private final ChatUploads uploads;
    private final String folder;

    /** @param folder where files lie until they are complete; created when it is missing */
    public UploadRoutes(Vertx vertx, FileService files, Path folder) {
        this.vertx = vertx;
        this.folder = folder.toString();
        this.uploads = new ChatUploads(files);
    }

    /** Deletes what a crash left; to be called before the first upload. */
    public Future<Void> clear() {
        var disk = vertx.fileSystem();
        return disk.exists(folder).compose(there -> there ? disk.deleteRecursive(folder) : Future.succeededFuture());
    }

    /** 200 with one entry per file, in the order they came. */
    public void upload(RoutingContext ctx) {
        var workspaceId = PathIds.workspace(ctx);
        var request = ctx.request();
        expectForm(request);
        request.pause();
        var receiving = new Receiving(request);
        var disk = vertx.fileSystem();
        uploads.requireWritable(workspaceId)
                .onFailure(refused -> request.handler(unread -> {}).resume())
                .compose(there -> disk.mkdirs(folder, OWNER_ONLY))
                .compose(ready -> disk.createTempDirectory(folder, "chat-", OWNER_ONLY))
                .compose(own -> receiving
                        .received(Path.of(own))
                        .compose(received -> uploads.store(workspaceId, received))
                        .eventually(() -> disk.deleteRecursive(own)))
                .onSuccess(stored -> Answers.json(ctx, Future.succeededFuture(json(stored))))
                .onFailure(ctx::fail);
    }

    private static void expectForm(HttpServerRequest request) {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        boolean tooLong = length != null
                && (length.length() > 15 || Long.parseLong(length) > TOTAL_MAX_BYTES + BOUNDARIES_MAX_BYTES);
        if (tooLong || closingOf(request).isEmpty()) {
            throw malformed();
        }
        request.setExpectMultipart(true);
    }

    /** What a whole form ends with; empty when the request is none. */
    private static String closingOf(HttpServerRequest request) {
        String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
        var boundary = type == null ? null : BOUNDARY.matcher(type);
        return boundary != null && boundary.matches() ? "--" + boundary.group(1) + "--" : "";
    }

    private static ObjectNode json(List<ChatUploads.Stored> stored) {
        var body = Json.object();
        var array = body.putArray("files");
        for (var each : stored) {
            var file = array.addObject()
                    .put("uri", each.uri())
                    .put("name", each.upload().name());
            if (each.upload().mimeType() != null) {
                file.put("mimeType", each.upload().mimeType());
            }
            file.put("size", each.upload().size());
        }
        return body;
    }

    private static ApiError malformed() {
        return ApiError.invalid("failed to parse multipart form");
    }

    /** One request on its way to the disk. */
    private final class Receiving {

        private final HttpServerRequest request;
        private final List<Future<Upload>> arriving = new ArrayList<>();
        private final List<Future<AsyncFile>> opening = new ArrayList<>();
        private final List<AsyncFile> open = new ArrayList<>();
        private final Promise<Void> end = Promise.promise();
        private Buffer tail = Buffer.buffer();
        private long total;

        /** Listens for a broken connection from here on: one that breaks before anything is read is told once and never again. */
        Receiving(HttpServerRequest request) {
            this.request = request;
            request.exceptionHandler(broken -> end.tryFail(malformed()));
        }

        /** Every file, closed, in a folder of its own; or the first failure, with what had come closed too. */
        Future<List<Upload>> received(Path folder) {
            request.uploadHandler(part -> {
                if (arriving.size() == FILES_MAX) {
                    end.tryFail(malformed());
                }
                if (end.future().failed()) {
                    part.handler(ignored -> {});
                } else if (FIELD.equals(part.name())) {
                    arriving.add(receive(part, folder));
                } else {
                    part.handler(ignored -> count(ignored.length()));
                }
            });
            request.handler(this::keepTail).endHandler(done -> finish());
            request.resume();
            return end.future()
                    .compose(whole -> Future.all(arriving).timeout(DISK_MAX.toMillis(), TimeUnit.MILLISECONDS))
                    .map(all -> {
                        if (arriving.isEmpty()) {
                            throw ApiError.invalid("expected at least one 'files' field");
                        }
                        return arriving.stream().map(Future::result).toList();
                    })
                    .recover(failure -> closeAll()
                            .transform(closed ->
                                    Future.failedFuture(failure instanceof TimeoutException ? malformed() : failure)));
        }

        private void keepTail(Buffer bytes) {
            int from = Math.max(0, bytes.length() - TAIL_BYTES);
            tail.appendBuffer(bytes, from, bytes.length() - from);
            tail = tail.getBuffer(Math.max(0, tail.length() - TAIL_BYTES), tail.length());
        }

        /** A form that is cut off in a file would be waited for in vain: nobody says that the file ended. */
        private void finish() {
            if (tail.toString(StandardCharsets.ISO_8859_1).contains(closingOf(request))) {
                end.tryComplete();
            } else {
                end.tryFail(malformed());
            }
        }

        /** Waits for what is being opened: a file that is made while its folder is deleted keeps that folder for ever. */
        private Future<?> closeAll() {
            return Future.join(opening).transform(opened -> {
                var left = List.copyOf(open);
                open.clear();
                return Future.join(left.stream().map(AsyncFile::close).toList());
            });
        }

        private Future<Upload> receive(HttpServerFileUpload part, Path folder) {
            var path = folder.resolve(UUID.randomUUID().toString());
            Promise<Upload> done = Promise.promise();
            done.future().onFailure(end::tryFail);
            part.pause();
            opening.add(vertx.fileSystem()
                    .open(path.toString(), new OpenOptions().setCreateNew(true))
                    .onSuccess(file -> {
                        open.add(file);
                        if (!end.future().failed()) {
                            write(part, path, file, done);
                        }
                    })
                    .onFailure(done::tryFail));
            return done.future();
        }

        private void write(HttpServerFileUpload part, Path path, AsyncFile file, Promise<Upload> done) {
            var name = part.filename() == null ? "" : part.filename();
            var size = new AtomicLong(); // of one event loop, but lambdas want it so
            part.exceptionHandler(broken -> done.tryFail(malformed()));
            part.handler(bytes -> {
                if (size.addAndGet(bytes.length()) > FILE_MAX_BYTES) {
                    done.tryFail(
                            new ApiError(ApiError.Kind.TOO_LARGE, "%s exceeds per-file limit (25 MB)".formatted(name)));
                }
                if (count(bytes.length()) && !done.future().isComplete()) {
                    file.write(bytes).onFailure(done::tryFail);
                    if (file.writeQueueFull()) {
                        part.pause();
                        file.drainHandler(free -> part.resume());
                    }
                }
            });
            part.endHandler(whole -> {
                if (open.remove(file)) {
                    file.close()
                            .map(closed ->
                                    new Upload(ChatFileName.sanitised(name), part.contentType(), path, size.get()))
                            .onSuccess(done::tryComplete)
                            .onFailure(done::tryFail);
                }
            });
            part.resume();
        }

        /** False from the first byte too many on. */
        private boolean count(int bytes) {
            total += bytes;
            if (total > TOTAL_MAX_BYTES) {
                end.tryFail(malformed());
            }
            return total <= TOTAL_MAX_BYTES && !end.future().failed();
        }
    }
}
