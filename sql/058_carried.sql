-- Index entries of users' tables carry keys of other columns, which lists compare or sort by without reading the rows.

ALTER TABLE data_cell
  ADD COLUMN a0 VARBINARY(40) NULL COMMENT 'the row''s key in the column that data_table.carried names; NULL: look at the row',
  ADD COLUMN a1 VARBINARY(40) NULL,
  ADD COLUMN a2 VARBINARY(40) NULL,
  ALGORITHM=INSTANT;

ALTER TABLE data_table
  ADD COLUMN carried BIGINT NOT NULL DEFAULT 0 COMMENT 'a byte for each of a0 to a2: slot + 1, 0: free, 255: of a dropped column',
  ADD COLUMN carry_at BINARY(16) NULL COMMENT 'the row up to which the runner has filled in what entries carry',
  ALGORITHM=INSTANT;

ALTER TABLE data_table ADD KEY data_table_carry (carry_at);
