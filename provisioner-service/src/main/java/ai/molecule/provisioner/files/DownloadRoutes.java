package ai.molecule.provisioner.files;

import ai.molecule.common.http.PathIds;
import ai.molecule.provisioner.backend.WorkspaceFiles.Content;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Hands out what an agent wrote, of any size, as it comes from the disk. */
public record DownloadRoutes(FileService files) {

    public void download(RoutingContext ctx) {
        String path = ctx.request().getParam("path");
        var place = AgentPath.ofAbsolute(path == null ? "" : path);
        files.open(PathIds.workspace(ctx), place)
                .onSuccess(content -> send(ctx, place.path().names().getLast(), content))
                .onFailure(ctx::fail);
    }

    private static void send(RoutingContext ctx, String name, Content content) {
        var response = ctx.response();
        response.putHeader(HttpHeaders.CONTENT_TYPE, ChatFileName.typeOf(name).orElse("application/octet-stream"))
                .putHeader(HttpHeaders.CONTENT_LENGTH, String.valueOf(content.size()))
                .putHeader("Content-Disposition", dispositionOf(name));
        content.stream()
                .pipe()
                .endOnComplete(false)
                .to(response)
                .onSuccess(sent -> end(response, content.size()))
                .onFailure(ctx::fail)
                .onComplete(done -> content.close());
    }

    /** A file that shrank meanwhile is cut off visibly, not completed. */
    private static void end(HttpServerResponse response, long promised) {
        if (response.bytesWritten() < promised) {
            response.reset();
        } else {
            response.end();
        }
    }

    /** The name twice: for old clients without what is not ASCII, for all others as it is (RFC 6266). */
    private static String dispositionOf(String name) {
        String plain = name.replaceAll("[^ -~]", "_").replace("\\", "\\\\").replace("\"", "\\\"");
        String encoded = URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
        return "attachment; filename=\"%s\"; filename*=UTF-8''%s".formatted(plain, encoded);
    }
}
