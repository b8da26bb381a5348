-- Pictures of what is in a library: the first page of a PDF, a frame of a film. One for the same bytes, whoever has sent them.

CREATE TABLE asset_preview (
  input_sha256 BINARY(32) NOT NULL PRIMARY KEY COMMENT 'of the file',
  film BOOLEAN NOT NULL COMMENT 'else a PDF',
  sha256 BINARY(32) NULL COMMENT 'of the picture; NULL: there is none',
  size_bytes BIGINT NULL,
  pages BIGINT NULL COMMENT 'of a PDF',
  due_at BIGINT NULL COMMENT 'when somebody may make it: while somebody does, when the lease ends; NULL: none is to be made',
  attempts INT UNSIGNED NOT NULL DEFAULT 0,
  KEY asset_preview_due (film, due_at),
  KEY asset_preview_sha256 (sha256)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
