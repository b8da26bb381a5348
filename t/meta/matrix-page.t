# SPDX-License-Identifier: Apache-2.0
# The permission matrix (Vitrine::Matrix) of pages that aren't a workspace's.
use Vitrine::Matrix;

Vitrine::Matrix::matrix(page => 1, ws => 0);
