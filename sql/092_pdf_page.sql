-- compatible: 58
-- Pictures of pages of PDF files, for the review view. A row is a page that somebody looked at, of a content that versions of an artifact have.

CREATE TABLE pdf_page (
  artifact_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
  input_sha256 BINARY(32) NOT NULL COMMENT 'of the PDF',
  page_no SMALLINT UNSIGNED NOT NULL COMMENT 'from 1',
  due_at BIGINT NULL COMMENT 'when a runner may draw it: while one does, when its lease ends; NULL: none is to',
  attempts INT UNSIGNED NOT NULL DEFAULT 0,
  looked_at BIGINT NOT NULL COMMENT 'when somebody last looked at it, to a day',
  pages INT UNSIGNED NULL COMMENT 'of the PDF; NULL: not counted',
  problem ENUM('failed','locked','large') NULL COMMENT 'why there is no picture',
  sha256 BINARY(32) NULL COMMENT 'of the picture, a PNG; NULL: there is none',
  size_bytes BIGINT NULL,
  PRIMARY KEY (artifact_id, input_sha256, page_no),
  KEY pdf_page_due (due_at),
  KEY pdf_page_looked (looked_at),
  KEY pdf_page_sha256 (sha256),
  CONSTRAINT pdf_page_artifact_fk FOREIGN KEY (artifact_id) REFERENCES artifact (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin;
