# SPDX-License-Identifier: Apache-2.0
# The permission matrix (Vitrine::Matrix) of the API: what has no workspace in its path.
use Vitrine::Matrix;

Vitrine::Matrix::matrix(page => 0, ws => 0);
